import { sql } from 'kysely';
import { turnColumns } from '../columns.js';
import { prepared, upTo, valuesOf, type Cells, type Queries, type RowOf } from './prepared.js';
import type { TurnsTable } from '../schema.js';

export type TurnRow = Cells<TurnsTable, typeof turnColumns>;

export type TurnStatements = ReturnType<typeof turnStatements>;

export function turnStatements(db: Queries) {
  const turns = db.selectFrom('turns').select(turnColumns);
  // Written as in the index over unfinished turns: with anything else SQLite would walk through all turns there ever were.
  const unfinished = sql<boolean>`state <> 'ended'`;
  const working = sql<boolean>`state in ('open', 'queued')`;
  const worldOf = (chatId: string) => sql<string>`(select world_id from chats where chats.id = ${chatId})`;

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
    countWorking: prepared<{ worldId: string }, [count: number]>((p) =>
      db
        .selectFrom('turns')
        .select(sql<number>`count(*)`.as('count'))
        .where(unfinished)
        .where('world_id', '=', p('worldId'))
        .where(working),
    ),
    insertTurn: prepared<RowOf<TurnsTable>>((p) => db.insertInto('turns').values(valuesOf(turnColumns, p))),
  };
}
