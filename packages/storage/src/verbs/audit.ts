import type { StoreTransaction } from '@countersign/core/ports';
import type { AuditEntry, AuditRecord } from '@countersign/protocol';
import type { Connection } from '../connection.js';
import type { audit, RowOf } from '../schema.js';
import type { AuditRow, AuditStatements } from '../queries/audit.js';

export function auditVerbs(on: Connection, s: AuditStatements): Pick<StoreTransaction, 'audit' | 'lastAudit'> {
  const audit = on.all(s.audit, toEntry);
  const lastAudit = on.all(s.lastAudit, toEntry);
  return {
    audit: async (worldId, { after, limit }) => audit({ worldId, after, limit }),
    lastAudit: async (worldId, { before = Number.MAX_SAFE_INTEGER, limit }) => lastAudit({ worldId, before, limit }),
  };
}

function toEntry([, seq, record, previousHash, hash]: AuditRow): AuditEntry {
  return { ...(JSON.parse(record) as AuditRecord), seq, previousHash, hash };
}

/** A stored record, for verifying the chain. */
export function toLink([worldId, seq, record, previousHash, hash]: AuditRow): RowOf<typeof audit> {
  return { worldId, seq, record, previousHash, hash };
}
