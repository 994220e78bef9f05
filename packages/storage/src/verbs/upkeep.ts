import type { AuditHead } from '../audit/head.js';
import type { Connection, Soon } from '../connection.js';
import { prepared, type Queries, type RowOf } from '../prepared.js';
import type { AuditTable } from '../schema.js';
import { toLink, type AuditStatements } from './audit.js';

export function upkeepStatements(db: Queries) {
  return {
    meta: prepared<{ key: string }, [value: string]>((p) =>
      db.selectFrom('meta').select('value').where('key', '=', p('key')),
    ),
    // The first to write it wins, on however many processes.
    insertMeta: prepared<{ key: string; value: string }>((p) =>
      db
        .insertInto('meta')
        .values({ key: p('key'), value: p('value') })
        .onConflict((conflict) => conflict.column('key').doNothing()),
    ),
  };
}

/** What the store itself needs, beside what it offers. */
export interface UpkeepVerbs {
  meta(key: string): Promise<string | undefined>;
  insertMeta(key: string, value: string): Promise<void>;
  auditRows(worldId: string, after: number, limit: number): Soon<RowOf<AuditTable>[]>;
  auditHead(worldId: string): Soon<AuditHead | undefined>;
  auditHasHash(worldId: string, hash: string): Promise<boolean>;
}

export function upkeepVerbs(on: Connection, s: ReturnType<typeof upkeepStatements> & AuditStatements): UpkeepVerbs {
  const meta = on.first(s.meta, ([value]) => value);
  const insertMeta = on.run(s.insertMeta);
  const auditRows = on.all(s.audit, toLink);
  const auditHead = on.first(s.auditHead, ([seq, hash]) => ({ seq, hash }));
  const auditByHash = on.first(s.auditByHash, ([seq]) => seq);
  return {
    meta: async (key) => meta({ key }),
    async insertMeta(key, value) {
      await insertMeta({ key, value });
    },
    auditRows: (worldId, after, limit) => auditRows({ worldId, after, limit }),
    auditHead: (worldId) => auditHead({ worldId }),
    auditHasHash: async (worldId, hash) => (await auditByHash({ worldId, hash })) !== undefined,
  };
}
