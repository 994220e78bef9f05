import type { MessageRecord, StoreReader } from '@countersign/core/ports';
import type { ToolCall } from '@countersign/protocol';
import type { Connection } from '../connection.js';
import type { messages, RowOf } from '../schema.js';
import type { MessageRow, MessageStatements } from '../queries/messages.js';

type MessageVerbs = Pick<StoreReader, 'message' | 'messages' | 'lastMessages' | 'messagesOfTurn'>;

export function messageVerbs(on: Connection, s: MessageStatements): MessageVerbs {
  const message = on.first(s.message, toMessage);
  const messages = on.all(s.messages, toMessage);
  const lastMessages = on.all(s.lastMessages, toMessage);
  const messagesOfTurn = on.all(s.messagesOfTurn, toMessage);

  return {
    message: async (id) => message({ id }),
    messages: async (chatId, { after, limit }) => messages({ chatId, after, limit }),
    lastMessages: async (chatId, { limit, before = Number.MAX_SAFE_INTEGER }) =>
      (await lastMessages({ chatId, before, limit })).reverse(),
    messagesOfTurn: async (turnId) => messagesOfTurn({ turnId }),
  };
}

/** Copied field by field: spreading objects of many shapes is slow, and there are many messages. */
export function toMessageRow(record: MessageRecord): RowOf<typeof messages> {
  return {
    id: record.id,
    worldId: record.worldId,
    chatId: record.chatId,
    seq: record.seq,
    role: record.role,
    sender: record.sender,
    who: record.who,
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
    attachments: record.attachments === null ? null : JSON.stringify(record.attachments),
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
  who,
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
  attachments,
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
    who,
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
    attachments: attachments === null ? null : (JSON.parse(attachments) as MessageRecord['attachments']),
    secrets: secrets === null ? [] : (JSON.parse(secrets) as string[]),
    createdAt,
  };
}
