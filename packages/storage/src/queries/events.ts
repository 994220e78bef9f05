import { prepared, upTo, valuesOf, type Cells, type Queries, type RowOf } from './prepared.js';
import type { EventsTable } from '../schema.js';

const columns = [
  'world_id',
  'id',
  'chat_id',
  'event',
  'message_id',
  'data',
  'at',
] as const satisfies readonly (keyof EventsTable)[];

export type EventCells = Cells<EventsTable, typeof columns>;
export type EventRow = RowOf<EventsTable>;

export type EventStatements = ReturnType<typeof eventStatements>;

export function eventStatements(db: Queries) {
  const events = db.selectFrom('events').select(columns);
  return {
    events: prepared<{ worldId: string; after: number; limit: number }, EventCells>((p) =>
      events
        .where('world_id', '=', p('worldId'))
        .where('id', '>', p('after'))
        .orderBy('id')
        .limit(upTo(p('limit'))),
    ),
    // By the chat alone, which is in one world only: with the world beside it SQLite reads that world's whole log.
    eventsOfChat: prepared<{ chatId: string; after: number; limit: number }, EventCells>((p) =>
      events
        .where('chat_id', '=', p('chatId'))
        .where('id', '>', p('after'))
        .orderBy('id')
        .limit(upTo(p('limit'))),
    ),
    lastEventId: prepared<{ id: string }, [seq: number]>((p) =>
      db.selectFrom('worlds').select('event_seq').where('id', '=', p('id')),
    ),
    insertEvent: prepared<RowOf<EventsTable>>((p) => db.insertInto('events').values(valuesOf(columns, p))),
  };
}
