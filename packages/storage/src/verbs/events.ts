import type { Emission, MessageRecord, StoredEvent, StoreTransaction } from '@countersign/core/ports';
import type { Connection } from '../connection.js';
import { toMessage } from './messages.js';
import type { MessageStatements } from '../queries/messages.js';
import type { EventCells, EventRow, EventStatements } from '../queries/events.js';

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
        // The chat, and the event with it, was deleted between the two reads.
        return message === undefined ? [] : [toMessageEvent(row, message)];
      });
    },
    lastEventId: async (worldId) => (await lastEventId({ id: worldId })) ?? 0,
  };
}

/** Converts an emission with its number to a row. */
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

/** Copied field by field: emissions have many shapes, and spreading such objects is slow. */
export function toStoredEvent(worldId: string, id: number, at: number, emission: Emission): StoredEvent {
  return emission.event === 'message'
    ? { id, worldId, at, event: 'message', chatId: emission.chatId, message: emission.message }
    : // Event and data are from the same emission, so their types match.
      ({ id, worldId, at, event: emission.event, chatId: emission.chatId, data: emission.data } as StoredEvent);
}

function toRow([worldId, id, chatId, event, messageId, data, at]: EventCells): EventRow {
  return { worldId, id, chatId, event, messageId, data, at };
}

function toEvent({ id, worldId, chatId, event, data, at }: EventRow): StoredEvent {
  // `toEventRow` wrote this row from an event of this type.
  return { id, worldId, at, event, chatId, data: JSON.parse(data ?? 'null') as unknown } as StoredEvent;
}

function toMessageEvent({ id, worldId, at }: EventRow, message: MessageRecord): StoredEvent {
  return { id, worldId, at, event: 'message', chatId: message.chatId, message };
}
