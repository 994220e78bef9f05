import type { MessageRecord, NewMessage, StoreTransaction } from '@countersign/core/ports';
import { CountersignError, type ToolCall } from '@countersign/protocol';
import type { Connection } from '../connection.js';
import type { RowOf } from '../queries/prepared.js';
import type { MessagesTable } from '../schema.js';
import type { Session } from '../session.js';
import type { MessageRow, MessageStatements } from '../queries/messages.js';

type MessageVerbs = Pick<
  StoreTransaction,
  'message' | 'messageByClientId' | 'messages' | 'lastMessages' | 'messagesOfTurn' | 'appendMessage'
>;

export function messageVerbs(on: Connection, s: MessageStatements, session: Session): MessageVerbs {
  const message = on.first(s.message, toMessage);
  const messageByClientId = on.first(s.messageByClientId, toMessage);
  const messages = on.all(s.messages, toMessage);
  const lastMessages = on.all(s.lastMessages, toMessage);
  const messagesOfTurn = on.all(s.messagesOfTurn, toMessage);
  const takeSeq = on.first(s.takeSeq, ([seq]) => seq);
  const insertMessage = on.run(s.insertMessage);

  return {
    message: async (id) => message({ id }),
    messageByClientId: async (chatId, clientMessageId) => messageByClientId({ chatId, clientMessageId }),
    messages: async (chatId, { after, limit }) => messages({ chatId, after, limit }),
    lastMessages: async (chatId, { limit, before = Number.MAX_SAFE_INTEGER }) =>
      (await lastMessages({ chatId, before, limit })).reverse(),
    messagesOfTurn: async (turnId) => messagesOfTurn({ turnId }),

    async appendMessage(message) {
      const isHuman = message.speaker === 'human' || message.speaker === 'world';
      const seq = await takeSeq({ chatId: message.chatId, isHuman: Number(isHuman) });
      if (seq === undefined) throw new CountersignError('not-found', `There is no chat "${message.chatId}".`);
      const record = placed(message, seq, session.now);
      await insertMessage(toMessageRow(record));
      return record;
    },
  };
}

/** Names every column, like all that makes or takes a message: copies of objects from many places are slow, and they are many. */
function placed(message: NewMessage, seq: number, createdAt: number): MessageRecord {
  return {
    id: message.id,
    worldId: message.worldId,
    chatId: message.chatId,
    seq,
    role: message.role,
    sender: message.sender,
    speaker: message.speaker,
    agentId: message.agentId,
    turnId: message.turnId,
    iteration: message.iteration,
    replyTo: message.replyTo,
    content: message.content,
    toolCalls: message.toolCalls,
    toolCallId: message.toolCallId,
    addressees: message.addressees,
    providerState: message.providerState,
    clientMessageId: message.clientMessageId,
    secrets: message.secrets,
    createdAt,
  };
}

export function toMessageRow(record: MessageRecord): RowOf<MessagesTable> {
  return {
    id: record.id,
    worldId: record.worldId,
    chatId: record.chatId,
    seq: record.seq,
    role: record.role,
    sender: record.sender,
    speaker: record.speaker,
    agentId: record.agentId,
    turnId: record.turnId,
    iteration: record.iteration,
    replyTo: record.replyTo,
    content: record.content,
    toolCalls: record.toolCalls === null ? null : JSON.stringify(record.toolCalls),
    toolCallId: record.toolCallId,
    addressees: record.addressees.length === 0 ? '[]' : JSON.stringify(record.addressees),
    providerState: record.providerState === null ? null : JSON.stringify(record.providerState),
    clientMessageId: record.clientMessageId,
    secrets: record.secrets.length === 0 ? null : JSON.stringify(record.secrets),
    createdAt: record.createdAt,
  };
}

export function toMessage([
  id,
  worldId,
  chatId,
  seq,
  role,
  sender,
  speaker,
  agentId,
  turnId,
  iteration,
  replyTo,
  content,
  toolCalls,
  toolCallId,
  addressees,
  providerState,
  clientMessageId,
  secrets,
  createdAt,
]: MessageRow): MessageRecord {
  return {
    id,
    worldId,
    chatId,
    seq,
    role: role as MessageRecord['role'],
    sender,
    speaker: speaker as MessageRecord['speaker'],
    agentId,
    turnId,
    iteration,
    replyTo,
    content,
    toolCalls: toolCalls === null ? null : (JSON.parse(toolCalls) as ToolCall[]),
    toolCallId,
    addressees: addressees === '[]' ? [] : (JSON.parse(addressees) as string[]),
    providerState: providerState === null ? null : (JSON.parse(providerState) as MessageRecord['providerState']),
    clientMessageId,
    secrets: secrets === null ? [] : (JSON.parse(secrets) as string[]),
    createdAt,
  };
}
