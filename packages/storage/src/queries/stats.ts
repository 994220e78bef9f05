import { prepared } from './prepared.js';

export type StatsStatements = typeof statsStatements;

type TurnCell = [agentId: string, outcome: string, count: number, input: number, output: number];
type CostCell = [day: number, agentId: string, input: number, output: number, microdollars: number, unpriced: number];
type CallCell = [tool: string, status: string, ms: number | null, count: number];
type ApprovalCell = [
  tool: string,
  status: string,
  scope: string | null,
  ms: number | null,
  by: string | null,
  signing: string | null,
  count: number,
];

const inWorld = 'chat_id in (select id from chats where world_id = :worldId)';

/** Milliseconds between two columns, rounded to two significant digits; null if either column is null. */
function rounded(from: string, to: string): string {
  const ms = `(${to} - ${from})`;
  const steps = [1, 10, 100, 1_000, 10_000, 100_000].map(
    (unit) => `when ${ms} < ${unit * 100} then ${ms} / ${unit} * ${unit}`,
  );
  return `case ${steps.join(' ')} else ${ms} / 1000000 * 1000000 end`;
}

/**
 * Statistics for a world, one statement each. Durations are rounded to two digits and counted, so that a median doesn't need
 * every row.
 */
export const statsStatements = {
  statChats: prepared<{ worldId: string }, [chats: number, messages: number]>(
    'select count(*) as count, cast(coalesce(sum(last_seq), 0) as bigint) as messages from chats where world_id = :worldId',
  ),
  statTurns: prepared<{ worldId: string }, TurnCell>(
    `select agent_id, coalesce(outcome, state) as outcome, count(*) as count, cast(sum(input_tokens) as bigint) as input, cast(sum(output_tokens) as bigint) as output from turns where ${inWorld} group by agent_id, coalesce(outcome, state)`,
  ),
  costs: prepared<{ worldId: string; chatId: string | null; since: number }, CostCell>(
    `select created_at / 86400000 as day, agent_id, cast(sum(input_tokens) as bigint) as input, cast(sum(output_tokens) as bigint) as output,
       cast(sum(coalesce(microdollars, 0)) as bigint) as cost,
       cast(sum(case when microdollars is null then input_tokens + output_tokens else 0 end) as bigint) as unpriced
     from turns
     where chat_id in (select id from chats where world_id = :worldId and (cast(:chatId as text) is null or id = :chatId)) and created_at >= :since
     group by 1, agent_id having sum(input_tokens + output_tokens) > 0 order by 1, agent_id`,
  ),
  statCalls: prepared<{ worldId: string }, CallCell>(
    `select tool_name, status, ${rounded('started_at', 'settled_at')} as ms, count(*) as count from invocations where turn_id in (select id from turns where ${inWorld}) group by tool_name, status, 3`,
  ),
  statApprovals: prepared<{ worldId: string }, ApprovalCell>(
    `select tool_name, status, scope, ${rounded('requested_at', 'decided_at')} as ms, decided_by, signing, count(*) as count from approvals where ${inWorld} group by tool_name, status, scope, 4, decided_by, signing`,
  ),
};
