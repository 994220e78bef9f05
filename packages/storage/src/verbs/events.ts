import type { Emission, MessageRecord, StoredEvent, StoreTransaction } from '@countersign/core/ports';
import type { Connection } from '../connection.js';
import { prepared, upTo, valuesOf, type Cells, type Queries, type RowOf } from '../prepared.js';
import type { EventsTable } from '../schema.js';
import { toMessage, type MessageStatements } from './messages.js';

const columns = [
  'world_id',
  'id',
  'chat_id',
  'event',
  'message_id',
  'data',
  'at',
] as const satisfies readonly (keyof EventsTable)[];

type EventCells = Cells<EventsTable, typeof columns>;
type EventRow = RowOf<EventsTable>;

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

type EventVerbs = Pick<StoreTransaction, 'events' | 'lastEventId'>;

export function eventVerbs(on: Connection, s: EventStatements & MessageStatements): EventVerbs {
  const events = on.all(s.events, toRow);
  const eventsOfChat = on.all(s.eventsOfChat, toRow);
  const messagesOfEvents = on.all(s.messagesOfEvents, toMessage);
  const messagesOfChatEvents = on.all(s.messagesOfChatEvents, toMessage);
  const lastEventId = on.first(s.lastEventId, ([seq]) => seq);

  return {
    async events(worldId, { after, limit, chatId }) {
      const rows =
        chatId === undefined
          ? await events({ worldId, after, limit })
          : (await eventsOfChat({ chatId, after, limit })).filter((row) => row.worldId === worldId);
      if (!rows.some((row) => row.event === 'message')) return rows.map(toEvent);
      const last = rows.at(-1)?.id ?? after;
      const spoken =
        chatId === undefined
          ? await messagesOfEvents({ worldId, after, last })
          : await messagesOfChatEvents({ chatId, after, last });
      const messages = new Map(spoken.map((message) => [message.id, message]));
      return rows.flatMap((row) => {
        if (row.messageId === null) return [toEvent(row)];
        const message = messages.get(row.messageId);
        // Its chat went between the two reads, and the event with it.
        return message === undefined ? [] : [toMessageEvent(row, message)];
      });
    },
    lastEventId: async (worldId) => (await lastEventId({ id: worldId })) ?? 0,
  };
}

/** An emission under the number it was given, as a row. */
export function toEventRow(worldId: string, id: number, at: number, emission: Emission): EventRow {
  return emission.event === 'message'
    ? { worldId, id, chatId: emission.chatId, event: 'message', messageId: emission.message.id, data: null, at }
    : {
        worldId,
        id,
        chatId: emission.chatId,
        event: emission.event,
        messageId: null,
        data: JSON.stringify(emission.data),
        at,
      };
}

/** Named one by one: emissions come from many places, and copies of such objects are slow. */
export function toStoredEvent(worldId: string, id: number, at: number, emission: Emission): StoredEvent {
  return emission.event === 'message'
    ? { id, worldId, at, event: 'message', chatId: emission.chatId, message: emission.message }
    : // Event and data are of one emission, so they fit each other.
      ({ id, worldId, at, event: emission.event, chatId: emission.chatId, data: emission.data } as StoredEvent);
}

function toRow([worldId, id, chatId, event, messageId, data, at]: EventCells): EventRow {
  return { worldId, id, chatId, event, messageId, data, at };
}

function toEvent({ id, worldId, chatId, event, data, at }: EventRow): StoredEvent {
  // The row was written by `toEventRow` from such an event.
  return { id, worldId, at, event, chatId, data: JSON.parse(data ?? 'null') as unknown } as StoredEvent;
}

function toMessageEvent({ id, worldId, at }: EventRow, message: MessageRecord): StoredEvent {
  return { id, worldId, at, event: 'message', chatId: message.chatId, message };
}
