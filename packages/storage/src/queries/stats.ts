import { sql, type RawBuilder } from 'kysely';
import { prepared, type Queries } from './prepared.js';

export type StatsStatements = ReturnType<typeof statsStatements>;

/**
 * Counts of one world. Each reads all rows of its kind in that world, in one statement, and gives few: times are rounded to two
 * digits and counted, or every call there ever was would be handed out to find the one in the middle.
 */
export function statsStatements(db: Queries) {
  const inWorld = (worldId: string) => sql<boolean>`chat_id in (select id from chats where world_id = ${worldId})`;
  const count = sql<number>`count(*)`.as('count');

  return {
    statChats: prepared<{ worldId: string }, [chats: number, messages: number]>((p) =>
      db
        .selectFrom('chats')
        .select([count, sql<number>`cast(coalesce(sum(last_seq), 0) as bigint)`.as('messages')])
        .where('world_id', '=', p('worldId')),
    ),
    statTurns: prepared<{ worldId: string }, TurnCell>((p) =>
      db
        .selectFrom('turns')
        .select([
          'agent_id',
          sql<string>`coalesce(outcome, state)`.as('outcome'),
          count,
          sql<number>`cast(sum(input_tokens) as bigint)`.as('input'),
          sql<number>`cast(sum(output_tokens) as bigint)`.as('output'),
        ])
        .where(inWorld(p('worldId')))
        .groupBy(['agent_id', sql`coalesce(outcome, state)`]),
    ),
    statCalls: prepared<{ worldId: string }, CallCell>((p) =>
      db
        .selectFrom('invocations')
        .select(['tool_name', 'status', rounded('started_at', 'settled_at').as('ms'), count])
        .where(sql<boolean>`turn_id in (select id from turns where ${inWorld(p('worldId'))})`)
        .groupBy(['tool_name', 'status', sql`3`]),
    ),
    statApprovals: prepared<{ worldId: string }, ApprovalCell>((p) =>
      db
        .selectFrom('approvals')
        .select(['tool_name', 'status', 'scope', rounded('requested_at', 'decided_at').as('ms'), count])
        .where(inWorld(p('worldId')))
        .groupBy(['tool_name', 'status', 'scope', sql`4`]),
    ),
  };
}

type TurnCell = [agentId: string, outcome: string, count: number, input: number, output: number];
type CallCell = [tool: string, status: string, ms: number | null, count: number];
type ApprovalCell = [tool: string, status: string, scope: string | null, ms: number | null, count: number];

/** Milliseconds between two columns with two digits that count; null where one of them is. */
function rounded(from: string, to: string): RawBuilder<number | null> {
  const ms = sql<number>`(${sql.ref(to)} - ${sql.ref(from)})`;
  const steps = [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000].map(
    (below) => sql`when ${ms} < ${sql.lit(below)} then ${ms} / ${sql.lit(below / 100)} * ${sql.lit(below / 100)}`,
  );
  return sql<number | null>`case ${sql.join(steps, sql` `)} else ${ms} / 1000000 * 1000000 end`;
}
