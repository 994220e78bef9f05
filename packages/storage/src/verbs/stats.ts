import type { ApprovalRecord, StoreReader } from '@countersign/core/ports';
import type { Connection } from '../connection.js';
import type { StatsStatements } from '../queries/stats.js';
import { readSigning } from './approvals.js';

export function statsVerbs(on: Connection, s: StatsStatements): Pick<StoreReader, 'stats' | 'costs'> {
  const chats = on.first(s.statChats, ([count, messages]) => ({ chats: count, messages }));
  const turns = on.all(s.statTurns, ([agentId, outcome, count, inputTokens, outputTokens]) => ({
    agentId,
    outcome,
    count,
    inputTokens,
    outputTokens,
  }));
  const calls = on.all(s.statCalls, ([tool, status, ms, count]) => ({ tool, status, ms, count }));
  const approvals = on.all(s.statApprovals, ([tool, status, scope, ms, by, signing, count]) => ({
    tool,
    status: status as ApprovalRecord['status'],
    scope,
    ms,
    by,
    signing: readSigning(signing),
    count,
  }));

  const costs = on.all(s.costs, ([day, agentId, inputTokens, outputTokens, microdollars, unpricedTokens]) => ({
    day,
    agentId,
    inputTokens,
    outputTokens,
    microdollars,
    unpricedTokens,
  }));

  return {
    costs: async (worldId, { chatId, since }) => costs({ worldId, chatId, since }),
    async stats(worldId) {
      const kept = (await chats({ worldId })) ?? { chats: 0, messages: 0 };
      return {
        ...kept,
        turns: await turns({ worldId }),
        calls: await calls({ worldId }),
        approvals: await approvals({ worldId }),
      };
    },
  };
}
