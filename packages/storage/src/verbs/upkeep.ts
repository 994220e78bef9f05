import type { AuditHead } from '../audit/head.js';
import type { Connection, Soon } from '../connection.js';
import type { audit, RowOf } from '../schema.js';
import { toLink } from './audit.js';
import type { AuditStatements } from '../queries/audit.js';
import type { upkeepStatements } from '../queries/upkeep.js';

/** Internal queries of the store. */
export interface UpkeepVerbs {
  meta(key: string): Promise<string | undefined>;
  insertMeta(key: string, value: string): Promise<void>;
  removeMeta(key: string): Promise<void>;
  auditRows(worldId: string, after: number, limit: number): Soon<RowOf<typeof audit>[]>;
  auditHead(worldId: string): Soon<AuditHead | undefined>;
  /** The heads of all worlds with a record, including deleted worlds. */
  auditHeads(): Soon<(AuditHead & { worldId: string })[]>;
  auditHasHash(worldId: string, hash: string): Promise<boolean>;
}

export function upkeepVerbs(on: Connection, s: typeof upkeepStatements & AuditStatements): UpkeepVerbs {
  const meta = on.first(s.meta, ([value]) => value);
  const insertMeta = on.run(s.insertMeta);
  const removeMeta = on.run(s.removeMeta);
  const auditRows = on.all(s.audit, toLink);
  const auditHead = on.first(s.auditHead, ([seq, hash]) => ({ seq, hash }));
  const auditHeads = on.all(s.auditHeads, ([worldId, seq, hash]) => ({ worldId, seq, hash }));
  const auditByHash = on.first(s.auditByHash, ([seq]) => seq);
  return {
    meta: async (key) => meta({ key }),
    async insertMeta(key, value) {
      await insertMeta({ key, value });
    },
    async removeMeta(key) {
      await removeMeta({ key });
    },
    auditRows: (worldId, after, limit) => auditRows({ worldId, after, limit }),
    auditHead: (worldId) => auditHead({ worldId }),
    auditHeads: () => auditHeads({}),
    auditHasHash: async (worldId, hash) => (await auditByHash({ worldId, hash })) !== undefined,
  };
}
