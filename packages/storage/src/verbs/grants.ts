import type { GrantRecord, StoreTransaction } from '@countersign/core/ports';
import type { Connection } from '../connection.js';
import type { TransactionState } from '../transaction-state.js';
import type { WorldStatements } from '../queries/worlds.js';
import { raiseRevOn } from './worlds.js';
import type { FoundRow, GrantRow, GrantStatements } from '../queries/grants.js';

type GrantVerbs = Pick<StoreTransaction, 'grant' | 'grantsOfWorld' | 'revokeGrant'>;

export function grantVerbs(on: Connection, s: GrantStatements & WorldStatements, state: TransactionState): GrantVerbs {
  const grant = on.first(s.grant, toGrant);
  const grantsOfWorld = on.all(s.grantsOfWorld, toGrant);
  const raiseRev = raiseRevOn(on, s);
  const revokeGrant = on.run(s.revokeGrant);

  return {
    grant: async (id) => grant({ id }),
    grantsOfWorld: async (worldId) => grantsOfWorld({ worldId }),
    async revokeGrant(worldId, id) {
      await raiseRev(worldId);
      return (await revokeGrant({ id, now: state.now })) === 1;
    },
  };
}

/** A grant that may cover this call. Values that were query parameters are not selected again. */
export function toFoundGrant(
  { chatId, agentId, toolName }: Pick<GrantRecord, 'chatId' | 'agentId' | 'toolName'>,
  [id, worldId, folder, pattern, answeredRule, grantedBy, grantedAt, lastUsedAt]: FoundRow,
): GrantRecord {
  return {
    id,
    worldId,
    chatId,
    agentId,
    toolName,
    folder,
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
  folder,
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
    folder,
    pattern,
    answeredRule,
    grantedBy,
    grantedAt,
    lastUsedAt,
    revokedAt,
  };
}
