import type { GrantRecord, StoreTransaction } from '@countersign/core/ports';
import type { Connection } from '../connection.js';
import type { Session } from '../session.js';
import type { FoundRow, GrantRow, GrantStatements } from '../queries/grants.js';

type GrantVerbs = Pick<
  StoreTransaction,
  'grant' | 'grants' | 'grantsOfWorld' | 'insertGrant' | 'touchGrant' | 'revokeGrant'
>;

export function grantVerbs(on: Connection, s: GrantStatements, session: Session): GrantVerbs {
  const grant = on.first(s.grant, toGrant);
  const grants = on.all(s.grants, (row) => row);
  const grantsOfWorld = on.all(s.grantsOfWorld, toGrant);
  const insertGrant = on.run(s.insertGrant);
  const touchGrant = on.run(s.touchGrant);
  const revokeGrant = on.run(s.revokeGrant);

  return {
    grant: async (id) => grant({ id }),
    async grants(chatId, agentId, toolName, usedAfter, [key, otherKey]) {
      const rows = await grants({ chatId, agentId, toolName, usedAfter, key, otherKey });
      return rows.map((row) => toFoundGrant({ chatId, agentId, toolName }, row));
    },
    grantsOfWorld: async (worldId) => grantsOfWorld({ worldId }),
    async insertGrant(record, patternKey) {
      await insertGrant({ ...record, patternKey });
    },
    async touchGrant(id) {
      await touchGrant({ id, now: session.now });
    },
    revokeGrant: async (id) => (await revokeGrant({ id, now: session.now })) === 1,
  };
}

/** A grant of which who asked knows the rest. */
export function toFoundGrant(
  { chatId, agentId, toolName }: Pick<GrantRecord, 'chatId' | 'agentId' | 'toolName'>,
  [id, worldId, pattern, answeredRule, grantedBy, grantedAt, lastUsedAt]: FoundRow,
): GrantRecord {
  return {
    id,
    worldId,
    chatId,
    agentId,
    toolName,
    pattern,
    answeredRule,
    grantedBy,
    grantedAt,
    lastUsedAt,
    revokedAt: null,
  };
}

function toGrant([
  id,
  worldId,
  chatId,
  agentId,
  toolName,
  pattern,
  answeredRule,
  grantedBy,
  grantedAt,
  lastUsedAt,
  revokedAt,
]: GrantRow): GrantRecord {
  return {
    id,
    worldId,
    chatId,
    agentId,
    toolName,
    pattern,
    answeredRule,
    grantedBy,
    grantedAt,
    lastUsedAt,
    revokedAt,
  };
}
