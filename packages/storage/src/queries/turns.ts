import { sql } from 'kysely';
import { turnColumns } from '../columns.js';
import { keptUnless, type Has } from './kept-unless.js';
import { prepared, upTo, valuesOf, type Bind, type Cells, type Queries, type RowOf } from './prepared.js';
import type { TurnsTable } from '../schema.js';

/** A change as parameters: null leaves a column that is never null; the others have a word of their own. */
export type ChangeParameters = {
  [K in 'iteration' | 'interruptions' | 'inputTokens' | 'outputTokens']: number | null;
} & Pick<RowOf<TurnsTable>, 'outcome' | 'owner' | 'begunSeq' | 'endedAt'> &
  Has<'outcome' | 'owner' | 'begunSeq' | 'endedAt'>;

type Fence = { id: string; epoch: number; rev: number };

export type TurnRow = Cells<TurnsTable, typeof turnColumns>;

export type TurnStatements = ReturnType<typeof turnStatements>;

export function turnStatements(db: Queries) {
  const turns = db.selectFrom('turns').select(turnColumns);
  // Written as in the index over unfinished turns: with anything else SQLite would walk through all turns there ever were.
  const unfinished = sql<boolean>`state <> 'ended'`;
  const current = sql<boolean>`state in ('open', 'waiting')`;
  const working = sql<boolean>`state in ('open', 'queued')`;
  const worldOf = (chatId: string) => sql<string>`(select world_id from chats where chats.id = ${chatId})`;
  const changes = (p: Bind<ChangeParameters>) => ({
    iteration: sql<number>`coalesce(${p('iteration')}, iteration)`,
    interruptions: sql<number>`coalesce(${p('interruptions')}, interruptions)`,
    input_tokens: sql<number>`coalesce(${p('inputTokens')}, input_tokens)`,
    output_tokens: sql<number>`coalesce(${p('outputTokens')}, output_tokens)`,
    outcome: keptUnless(p('hasOutcome'), p('outcome'), 'outcome'),
    owner: keptUnless(p('hasOwner'), p('owner'), 'owner'),
    begun_seq: keptUnless(p('hasBegunSeq'), p('begunSeq'), 'begun_seq'),
    ended_at: keptUnless(p('hasEndedAt'), p('endedAt'), 'ended_at'),
  });

  return {
    turn: prepared<{ id: string }, TurnRow>((p) => turns.where('id', '=', p('id'))),
    endedTurns: prepared<{ chatId: string; agentId: string; after: number; before: number; limit: number }, TurnRow>(
      (p) =>
        turns
          .where('chat_id', '=', p('chatId'))
          .where('agent_id', '=', p('agentId'))
          .where('trigger_seq', '>', p('after'))
          .where('trigger_seq', '<', p('before'))
          .where(sql<boolean>`state = 'ended'`)
          .orderBy('trigger_seq', 'desc')
          .limit(upTo(p('limit'))),
    ),
    unfinishedTurns: prepared<object, TurnRow>(() =>
      turns.where(unfinished).orderBy('created_at').orderBy('trigger_seq').orderBy('id'),
    ),
    unfinishedTurnsOfChat: prepared<{ chatId: string }, TurnRow>((p) =>
      turns
        .where(unfinished)
        .where('world_id', '=', worldOf(p('chatId')))
        .where(sql<boolean>`state in ('open', 'waiting', 'queued')`)
        .where('chat_id', '=', p('chatId'))
        .orderBy('created_at')
        .orderBy('trigger_seq')
        .orderBy('id'),
    ),
    currentTurn: prepared<{ chatId: string; agentId: string }, TurnRow>((p) =>
      turns.where('chat_id', '=', p('chatId')).where('agent_id', '=', p('agentId')).where(current),
    ),
    nextQueuedTurn: prepared<{ chatId: string; agentId: string }, TurnRow>((p) =>
      turns
        .where(unfinished)
        .where('world_id', '=', worldOf(p('chatId')))
        .where(sql<boolean>`state = 'queued'`)
        .where('chat_id', '=', p('chatId'))
        .where('agent_id', '=', p('agentId'))
        // The plus keeps SQLite from walking every turn of the chat in this order instead of the few unfinished ones.
        .orderBy(sql`+trigger_seq`)
        .limit(sql.lit(1)),
    ),
    countTurnsSince: prepared<{ chatId: string; agentId: string; seq: number }, [count: number]>((p) =>
      db
        .selectFrom('turns')
        .select(sql<number>`count(*)`.as('count'))
        .where('chat_id', '=', p('chatId'))
        .where('agent_id', '=', p('agentId'))
        .where('trigger_seq', '>=', p('seq'))
        .where('begun_seq', 'is not', null)
        .where(sql<boolean>`coalesce(outcome, '') <> 'silent'`),
    ),
    countUnfinished: prepared<{ chatId: string }, [working: number, waiting: number]>((p) =>
      db
        .selectFrom('turns')
        .select([
          // Not what is queued: behind a turn that waits for a person it waits for that person too.
          sql<number>`count(case when state = 'open' then 1 end)`.as('working'),
          sql<number>`count(case when state = 'waiting' then 1 end)`.as('waiting'),
        ])
        .where(unfinished)
        .where('world_id', '=', worldOf(p('chatId')))
        .where(sql<boolean>`state in ('open', 'waiting', 'queued')`)
        .where('chat_id', '=', p('chatId')),
    ),
    countWorking: prepared<{ worldId: string }, [count: number]>((p) =>
      db
        .selectFrom('turns')
        .select(sql<number>`count(*)`.as('count'))
        .where(unfinished)
        .where('world_id', '=', p('worldId'))
        .where(working),
    ),

    insertTurn: prepared<RowOf<TurnsTable>>((p) =>
      db
        .insertInto('turns')
        .values(valuesOf(turnColumns, p))
        .onConflict((conflict) => conflict.column('id').doNothing()),
    ),
    // Apart from the one below, since most steps keep the state: a column that is set, even to itself, is taken out of each index
    // it is in and put back.
    stepTurn: prepared<ChangeParameters & Fence>((p) =>
      db
        .updateTable('turns')
        .set({ rev: sql`rev + 1`, ...changes(p) })
        .where('id', '=', p('id'))
        .where('epoch', '=', p('epoch'))
        .where('rev', '=', p('rev')),
    ),
    stepTurnInto: prepared<ChangeParameters & Fence & { state: string }>((p) =>
      db
        .updateTable('turns')
        .set({ rev: sql`rev + 1`, state: p('state'), ...changes(p) })
        .where('id', '=', p('id'))
        .where('epoch', '=', p('epoch'))
        .where('rev', '=', p('rev')),
    ),
    fenceTurn: prepared<ChangeParameters & { id: string; state: string | null }, TurnRow>((p) =>
      db
        .updateTable('turns')
        .set({ epoch: sql`epoch + 1`, rev: sql`rev + 1`, state: sql`coalesce(${p('state')}, state)`, ...changes(p) })
        .where('id', '=', p('id'))
        .where(unfinished)
        .returning(turnColumns),
    ),
    claimTurn: prepared<Fence & { owner: string; interruptions: number }, TurnRow>((p) =>
      db
        .updateTable('turns')
        .set({ epoch: sql`epoch + 1`, rev: sql`rev + 1`, owner: p('owner'), interruptions: p('interruptions') })
        .where('id', '=', p('id'))
        .where('epoch', '=', p('epoch'))
        .where('rev', '=', p('rev'))
        .where(sql<boolean>`state = 'open'`)
        .returning(turnColumns),
    ),
  };
}
