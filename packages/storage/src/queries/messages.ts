import { messages, type Cells } from '../schema.js';
import { insertInto, prepared } from './prepared.js';

export type MessageRow = Cells<typeof messages>;

export type MessageStatements = typeof messageStatements;

const select = `select ${messages.names.join(', ')} from messages`;
const ofEvents = (which: string): string =>
  `${select} where id in (select events.message_id from events where ${which} and events.id > :after and events.id <= :last and events.message_id is not null)`;

export const messageStatements = {
  message: prepared<{ id: string }, MessageRow>(`${select} where id = :id`),
  messageByClientId: prepared<{ chatId: string; clientMessageId: string }, MessageRow>(
    `${select} where chat_id = :chatId and client_message_id = :clientMessageId`,
  ),
  messages: prepared<{ chatId: string; after: number; limit: number }, MessageRow>(
    `${select} where chat_id = :chatId and seq > :after order by seq limit :limit + 0`,
  ),
  lastMessages: prepared<{ chatId: string; before: number; limit: number }, MessageRow>(
    `${select} where chat_id = :chatId and seq < :before order by seq desc limit :limit + 0`,
  ),
  messagesOfTurn: prepared<{ turnId: string }, MessageRow>(`${select} where turn_id = :turnId order by seq`),
  /** The messages for a range of a world's events. */
  messagesOfEvents: prepared<{ worldId: string; after: number; last: number }, MessageRow>(
    ofEvents('events.world_id = :worldId'),
  ),
  messagesOfChatEvents: prepared<{ chatId: string; after: number; last: number }, MessageRow>(
    ofEvents('events.chat_id = :chatId'),
  ),
  insertMessage: insertInto(messages),
};
