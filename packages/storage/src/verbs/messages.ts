import type { MessageRecord, StoreTransaction } from '@countersign/core/ports';
import { CountersignError, type ToolCall } from '@countersign/protocol';
import { sql } from 'kysely';
import type { Connection } from '../connection.js';
import { aliased, prepared, upTo, valuesOf, type Queries, type RowOf } from '../prepared.js';
import type { MessagesTable } from '../schema.js';
import type { Session } from '../session.js';

const columns = [
  'id',
  'world_id',
  'chat_id',
  'seq',
  'role',
  'sender',
  'speaker',
  'agent_id',
  'turn_id',
  'iteration',
  'reply_to',
  'content',
  'tool_calls',
  'tool_call_id',
  'addressees',
  'provider_state',
  'client_message_id',
  'secrets',
  'created_at',
] as const satisfies readonly (keyof MessagesTable)[];

export type MessageStatements = ReturnType<typeof messageStatements>;

export function messageStatements(db: Queries) {
  const messages = db.selectFrom('messages').select(aliased(columns));

  return {
    message: prepared<{ id: string }>()((p) => messages.where('id', '=', p('id'))),
    messageByClientId: prepared<{ chatId: string; clientMessageId: string }>()((p) =>
      messages.where('chat_id', '=', p('chatId')).where('client_message_id', '=', p('clientMessageId')),
    ),
    messages: prepared<{ chatId: string; after: number; limit: number }>()((p) =>
      messages
        .where('chat_id', '=', p('chatId'))
        .where('seq', '>', p('after'))
        .orderBy('seq')
        .limit(upTo(p('limit'))),
    ),
    lastMessages: prepared<{ chatId: string; limit: number }>()((p) =>
      messages
        .where('chat_id', '=', p('chatId'))
        .orderBy('seq', 'desc')
        .limit(upTo(p('limit'))),
    ),
    messagesOfTurn: prepared<{ turnId: string }>()((p) => messages.where('turn_id', '=', p('turnId')).orderBy('seq')),
    /** The messages that a stretch of a world's events speaks of. */
    messagesOfEvents: prepared<{ worldId: string; after: number; last: number }>()((p) =>
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
    messagesOfChatEvents: prepared<{ chatId: string; after: number; last: number }>()((p) =>
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
    takeSeq: prepared<{ chatId: string; isHuman: number }>()((p) =>
      db
        .updateTable('chats')
        .set({
          last_seq: sql`last_seq + 1`,
          human_seq: sql`case when ${p('isHuman')} = 1 then last_seq + 1 else human_seq end`,
        })
        .where('id', '=', p('chatId'))
        .returning('last_seq as seq'),
    ),
    insertMessage: prepared<RowOf<MessagesTable>>()((p) => db.insertInto('messages').values(valuesOf(columns, p))),
  };
}

type MessageVerbs = Pick<
  StoreTransaction,
  'message' | 'messageByClientId' | 'messages' | 'lastMessages' | 'messagesOfTurn' | 'appendMessage'
>;

export function messageVerbs(on: Connection, s: MessageStatements, session: Session): MessageVerbs {
  const message = on.first(s.message);
  const messageByClientId = on.first(s.messageByClientId);
  const messages = on.all(s.messages);
  const lastMessages = on.all(s.lastMessages);
  const messagesOfTurn = on.all(s.messagesOfTurn);
  const takeSeq = on.first(s.takeSeq);
  const insertMessage = on.run(s.insertMessage);

  return {
    async message(id) {
      const row = await message({ id });
      return row && toMessage(row);
    },
    async messageByClientId(chatId, clientMessageId) {
      const row = await messageByClientId({ chatId, clientMessageId });
      return row && toMessage(row);
    },
    messages: async (chatId, { after, limit }) => (await messages({ chatId, after, limit })).map(toMessage),
    lastMessages: async (chatId, { limit }) => (await lastMessages({ chatId, limit })).map(toMessage).reverse(),
    messagesOfTurn: async (turnId) => (await messagesOfTurn({ turnId })).map(toMessage),

    async appendMessage(message) {
      const isHuman = message.speaker === 'human' || message.speaker === 'world';
      const place = await takeSeq({ chatId: message.chatId, isHuman: Number(isHuman) });
      if (place === undefined) throw new CountersignError('not-found', `There is no chat "${message.chatId}".`);
      const record: MessageRecord = { ...message, seq: place.seq, createdAt: session.now };
      await insertMessage({
        ...record,
        toolCalls: message.toolCalls && JSON.stringify(message.toolCalls),
        addressees: JSON.stringify(message.addressees),
        providerState: message.providerState && JSON.stringify(message.providerState),
        secrets: message.secrets.length === 0 ? null : JSON.stringify(message.secrets),
      });
      return record;
    },
  };
}

export function toMessage(row: RowOf<MessagesTable>): MessageRecord {
  return {
    ...row,
    role: row.role as MessageRecord['role'],
    speaker: row.speaker as MessageRecord['speaker'],
    toolCalls: row.toolCalls === null ? null : (JSON.parse(row.toolCalls) as ToolCall[]),
    addressees: row.addressees === '[]' ? [] : (JSON.parse(row.addressees) as string[]),
    secrets: row.secrets === null ? [] : (JSON.parse(row.secrets) as string[]),
    providerState:
      row.providerState === null ? null : (JSON.parse(row.providerState) as MessageRecord['providerState']),
  };
}
