import { events, type Cells, type RowOf } from '../schema.js';
import { insertInto, prepared } from './prepared.js';

export type EventCells = Cells<typeof events>;
export type EventRow = RowOf<typeof events>;

export type EventStatements = typeof eventStatements;

const select = `select ${events.names.join(', ')} from events`;

export const eventStatements = {
  events: prepared<{ worldId: string; after: number; limit: number }, EventCells>(
    `${select} where world_id = :worldId and id > :after order by id limit :limit + 0`,
  ),
  // Filter only by chat: with the world as well, SQLite would scan that world's whole log.
  eventsOfChat: prepared<{ chatId: string; after: number; limit: number }, EventCells>(
    `${select} where chat_id = :chatId and id > :after order by id limit :limit + 0`,
  ),
  lastEventId: prepared<{ id: string }, [seq: number]>('select event_seq from worlds where id = :id'),
  insertEvent: insertInto(events),
};
