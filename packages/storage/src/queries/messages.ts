import { messageColumns } from '../columns.js';
import { prepared, upTo, valuesOf, type Cells, type Queries, type RowOf } from './prepared.js';
import type { MessagesTable } from '../schema.js';

export type MessageRow = Cells<MessagesTable, typeof messageColumns>;

export type MessageStatements = ReturnType<typeof messageStatements>;

export function messageStatements(db: Queries) {
  const messages = db.selectFrom('messages').select(messageColumns);

  return {
    message: prepared<{ id: string }, MessageRow>((p) => messages.where('id', '=', p('id'))),
    messageByClientId: prepared<{ chatId: string; clientMessageId: string }, MessageRow>((p) =>
      messages.where('chat_id', '=', p('chatId')).where('client_message_id', '=', p('clientMessageId')),
    ),
    messages: prepared<{ chatId: string; after: number; limit: number }, MessageRow>((p) =>
      messages
        .where('chat_id', '=', p('chatId'))
        .where('seq', '>', p('after'))
        .orderBy('seq')
        .limit(upTo(p('limit'))),
    ),
    lastMessages: prepared<{ chatId: string; before: number; limit: number }, MessageRow>((p) =>
      messages
        .where('chat_id', '=', p('chatId'))
        .where('seq', '<', p('before'))
        .orderBy('seq', 'desc')
        .limit(upTo(p('limit'))),
    ),
    messagesOfTurn: prepared<{ turnId: string }, MessageRow>((p) =>
      messages.where('turn_id', '=', p('turnId')).orderBy('seq'),
    ),
    /** The messages that a stretch of a world's events speaks of. */
    messagesOfEvents: prepared<{ worldId: string; after: number; last: number }, MessageRow>((p) =>
      messages.where('id', 'in', (eb) =>
        eb
          .selectFrom('events')
          .select('events.message_id')
          .where('events.world_id', '=', p('worldId'))
          .where('events.id', '>', p('after'))
          .where('events.id', '<=', p('last'))
          .where('events.message_id', 'is not', null)
          .$castTo<{ message_id: string }>(),
      ),
    ),
    messagesOfChatEvents: prepared<{ chatId: string; after: number; last: number }, MessageRow>((p) =>
      messages.where('id', 'in', (eb) =>
        eb
          .selectFrom('events')
          .select('events.message_id')
          .where('events.chat_id', '=', p('chatId'))
          .where('events.id', '>', p('after'))
          .where('events.id', '<=', p('last'))
          .where('events.message_id', 'is not', null)
          .$castTo<{ message_id: string }>(),
      ),
    ),
    insertMessage: prepared<RowOf<MessagesTable>>((p) => db.insertInto('messages').values(valuesOf(messageColumns, p))),
  };
}
