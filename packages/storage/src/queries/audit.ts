import { sql } from 'kysely';
import { prepared, upTo, valuesOf, type Cells, type Queries, type RowOf } from './prepared.js';
import type { AuditTable } from '../schema.js';

const columns = ['world_id', 'seq', 'record', 'previous_hash', 'hash'] as const satisfies readonly (keyof AuditTable)[];

export type AuditRow = Cells<AuditTable, typeof columns>;

export type AuditStatements = ReturnType<typeof auditStatements>;

export function auditStatements(db: Queries) {
  const audit = db.selectFrom('audit').select(columns);
  return {
    audit: prepared<{ worldId: string; after: number; limit: number }, AuditRow>((p) =>
      audit
        .where('world_id', '=', p('worldId'))
        .where('seq', '>', p('after'))
        .orderBy('seq')
        .limit(upTo(p('limit'))),
    ),
    lastAudit: prepared<{ worldId: string; before: number; limit: number }, AuditRow>((p) =>
      audit
        .where('world_id', '=', p('worldId'))
        .where('seq', '<', p('before'))
        .orderBy('seq', 'desc')
        .limit(upTo(p('limit'))),
    ),
    auditByHash: prepared<{ worldId: string; hash: string }, [seq: number]>((p) =>
      db.selectFrom('audit').select('seq').where('world_id', '=', p('worldId')).where('hash', '=', p('hash')),
    ),
    auditHead: prepared<{ worldId: string }, [seq: number, hash: string]>((p) =>
      db.selectFrom('worlds').select(['audit_seq', 'audit_hash']).where('id', '=', p('worldId')),
    ),
    auditHeads: prepared<object, [worldId: string, seq: number, hash: string]>(() =>
      db
        .selectFrom('worlds')
        .select(['id', 'audit_seq', 'audit_hash'])
        .where(sql<boolean>`audit_seq > 0`),
    ),
    insertAudit: prepared<RowOf<AuditTable>>((p) => db.insertInto('audit').values(valuesOf(columns, p))),
    /** Where a world's events and records end. One that is gone keeps its row, so its last words are numbered too. */
    heads: prepared<{ worldId: string }, [lastEvent: number, seq: number, hash: string]>((p) =>
      db.selectFrom('worlds').select(['event_seq', 'audit_seq', 'audit_hash']).where('id', '=', p('worldId')),
    ),
    moveHeads: prepared<{ worldId: string; lastEvent: number; seq: number; hash: string }>((p) =>
      db
        .updateTable('worlds')
        .set({ event_seq: p('lastEvent'), audit_seq: p('seq'), audit_hash: p('hash') })
        .where('id', '=', p('worldId')),
    ),
  };
}
