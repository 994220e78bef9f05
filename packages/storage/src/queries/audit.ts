import { audit, type Cells } from '../schema.js';
import { insertInto, prepared } from './prepared.js';

export type AuditRow = Cells<typeof audit>;

export type AuditStatements = typeof auditStatements;

const select = `select ${audit.names.join(', ')} from audit where world_id = :worldId`;

export const auditStatements = {
  audit: prepared<{ worldId: string; after: number; limit: number }, AuditRow>(
    `${select} and seq > :after order by seq limit :limit + 0`,
  ),
  lastAudit: prepared<{ worldId: string; before: number; limit: number }, AuditRow>(
    `${select} and seq < :before order by seq desc limit :limit + 0`,
  ),
  auditByHash: prepared<{ worldId: string; hash: string }, [seq: number]>(
    'select seq from audit where world_id = :worldId and hash = :hash',
  ),
  auditHead: prepared<{ worldId: string }, [seq: number, hash: string]>(
    'select audit_seq, audit_hash from worlds where id = :worldId',
  ),
  auditHeads: prepared<object, [worldId: string, seq: number, hash: string]>(
    'select id, audit_seq, audit_hash from worlds where audit_seq > 0',
  ),
  insertAudit: insertInto(audit),
  /** The heads of a world's events and records. A deleted world's row is kept, so its last events are numbered too. */
  heads: prepared<{ worldId: string }, [lastEvent: number, seq: number, hash: string]>(
    'select event_seq, audit_seq, audit_hash from worlds where id = :worldId',
  ),
  moveHeads: prepared<{ worldId: string; lastEvent: number; seq: number; hash: string }>(
    'update worlds set event_seq = :lastEvent, audit_seq = :seq, audit_hash = :hash where id = :worldId',
  ),
};
