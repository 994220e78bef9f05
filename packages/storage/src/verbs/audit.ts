import type { StoreTransaction } from '@countersign/core/ports';
import type { AuditEntry, AuditRecord } from '@countersign/protocol';
import type { Connection } from '../connection.js';
import { aliased, prepared, upTo, valuesOf, type Queries, type RowOf } from '../prepared.js';
import type { AuditTable } from '../schema.js';

const columns = ['world_id', 'seq', 'record', 'previous_hash', 'hash'] as const satisfies readonly (keyof AuditTable)[];

export type AuditStatements = ReturnType<typeof auditStatements>;

export function auditStatements(db: Queries) {
  const audit = db.selectFrom('audit').select(aliased(columns));
  return {
    audit: prepared<{ worldId: string; after: number; limit: number }>()((p) =>
      audit
        .where('world_id', '=', p('worldId'))
        .where('seq', '>', p('after'))
        .orderBy('seq')
        .limit(upTo(p('limit'))),
    ),
    auditByHash: prepared<{ worldId: string; hash: string }>()((p) =>
      db.selectFrom('audit').select('seq').where('world_id', '=', p('worldId')).where('hash', '=', p('hash')),
    ),
    auditHead: prepared<{ worldId: string }>()((p) =>
      db.selectFrom('worlds').select(['audit_seq as seq', 'audit_hash as hash']).where('id', '=', p('worldId')),
    ),
    insertAudit: prepared<RowOf<AuditTable>>()((p) => db.insertInto('audit').values(valuesOf(columns, p))),
    moveAuditHead: prepared<{ worldId: string; seq: number; hash: string }>()((p) =>
      db
        .updateTable('worlds')
        .set({ audit_seq: p('seq'), audit_hash: p('hash') })
        .where('id', '=', p('worldId')),
    ),
  };
}

export function auditVerbs(on: Connection, s: AuditStatements): Pick<StoreTransaction, 'audit'> {
  const audit = on.all(s.audit);
  return { audit: async (worldId, { after, limit }) => (await audit({ worldId, after, limit })).map(toEntry) };
}

function toEntry({ seq, record, previousHash, hash }: RowOf<AuditTable>): AuditEntry {
  return { ...(JSON.parse(record) as AuditRecord), seq, previousHash, hash };
}
