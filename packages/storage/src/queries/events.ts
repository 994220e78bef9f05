import type { EventsTable } from '../schema.js';
import { insertInto, prepared, type Cells, type RowOf } from './prepared.js';

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

export type EventStatements = typeof eventStatements;

const select = `select ${columns.join(', ')} from events`;

export const eventStatements = {
  events: prepared<{ worldId: string; after: number; limit: number }, EventCells>(
    `${select} where world_id = :worldId and id > :after order by id limit :limit + 0`,
  ),
  // Filter only by chat: with the world as well, SQLite would scan that world's whole log.
  eventsOfChat: prepared<{ chatId: string; after: number; limit: number }, EventCells>(
    `${select} where chat_id = :chatId and id > :after order by id limit :limit + 0`,
  ),
  lastEventId: prepared<{ id: string }, [seq: number]>('select event_seq from worlds where id = :id'),
  insertEvent: insertInto<EventsTable>('events', columns),
};
