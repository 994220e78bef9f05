import {
  isStoredEvent,
  type Agent,
  type Approval,
  type Chat,
  type Message,
  type NeededSignatures,
  type WorldEvent,
} from '@countersign/protocol';
import { decide, emptyBook, request, sign } from './approvals.js';
import type { List, MessageList } from '../http/client.js';
import { learnApproval, learnCall, learnEvent, learnResult, learnUndo } from './invocations.js';
import { withNotice } from './notices.js';
import { readMessage, viewOfApproval } from './read-message.js';
import type { Reader } from './reader.js';
import { append, emptyRows, prepend, rowAt } from './rows.js';
import type { Connection } from '../http/events.js';
import type { ChatState, TranscriptMessage } from './state.js';
import { drop, hear, hearOutput } from './streams.js';
import { emptyTable, get, has, set } from './table.js';

export type ChatAction =
  /** A full load replaces everything. `position` is the stream's position before the load started. */
  | {
      type: 'loaded';
      position: number;
      chat: Chat;
      messages: MessageList;
      approvals: readonly Approval[];
      agents: readonly Agent[];
      me?: Reader | undefined;
    }
  | { type: 'load-failed'; why: string }
  | { type: 'event'; event: WorldEvent }
  | { type: 'connection'; connection: Connection }
  | { type: 'chat'; chat: Chat }
  | { type: 'agents'; agents: readonly Agent[] }
  /** Who must sign an approval, with the current people. */
  | { type: 'needs'; approvalId: string; needs: readonly NeededSignatures[] | undefined }
  | { type: 'older-asked' }
  | { type: 'older'; messages: List<Message> }
  | { type: 'older-failed' };

export function emptyChat(worldId: string, chatId: string): ChatState {
  return {
    worldId,
    chatId,
    loading: { kind: 'loading' },
    connection: { kind: 'connecting' },
    title: '',
    status: 'idle',
    createdAt: '',
    deleted: false,
    agents: [],
    me: undefined,
    transcript: emptyRows(),
    messages: emptyTable(),
    older: { kind: 'none' },
    invocations: emptyTable(),
    openInvocations: [],
    ...emptyBook(),
    streams: [],
    outputs: new Map(),
    notices: [],
    lastEventId: 0,
    chatShownAt: 0,
    pageShownAt: 0,
  };
}

/** Pure. Unchanged parts keep their identity, and the cost of an event doesn't grow with the length of the chat. */
export function reduceChat(state: ChatState, action: ChatAction): ChatState {
  switch (action.type) {
    case 'loaded':
      return load(state, action);
    case 'load-failed':
      return { ...state, loading: { kind: 'failed', why: action.why } };
    case 'event':
      return onEvent(state, action.event);
    case 'connection':
      return withConnection(state, action.connection);
    case 'chat':
      return withChat(state, action.chat);
    case 'agents':
      return { ...state, agents: action.agents };
    case 'needs':
      return sign(state, action.approvalId, action.needs, { listed: true });
    case 'older-asked':
      return state.older.kind === 'more' || state.older.kind === 'failed'
        ? { ...state, older: { ...state.older, kind: 'loading' } }
        : state;
    case 'older':
      return addOlder(state, action.messages);
    case 'older-failed':
      return state.older.kind === 'loading' ? { ...state, older: { ...state.older, kind: 'failed' } } : state;
  }
}

function withConnection(state: ChatState, connection: Connection): ChatState {
  const { older } = state;
  const isBack = connection.kind === 'open' && older.kind === 'failed';
  return { ...state, connection, ...(isBack ? { older: { ...older, kind: 'more' } } : {}) };
}

function load(state: ChatState, loaded: Extract<ChatAction, { type: 'loaded' }>): ChatState {
  const { worldId, chatId, connection, notices, outputs } = state;
  const { chat, messages, approvals, agents, me, position } = loaded;
  let next: ChatState = {
    ...emptyChat(worldId, chatId),
    connection,
    // Notices are not stored, so no load could restore them.
    notices,
    outputs,
    loading: { kind: 'ready' },
    title: chat.title,
    status: chat.status,
    createdAt: chat.createdAt,
    ...(chat.branchOf === undefined ? {} : { branchOf: chat.branchOf }),
    agents,
    me,
    lastEventId: position,
    chatShownAt: chat.lastEventId ?? position,
    pageShownAt: messages.lastEventId ?? position,
  };
  // Add the queue first, in the server's order; messages arrive page by page.
  for (const listed of approvals) {
    const view = viewOfApproval(listed);
    next = sign(ask(next, view), view.approvalId, view.needs, { listed: true });
  }
  return addOlder(next, messages);
}

/** Adds a page before the loaded ones. */
function addOlder(state: ChatState, page: List<Message>): ChatState {
  let next = state;
  const lines: string[] = [];
  for (const message of page.items) {
    next = learnMessage(next, message, (line) => {
      lines.push(line.messageId);
    });
  }
  return {
    ...next,
    transcript: prepend(next.transcript, lines),
    older: page.next === undefined ? { kind: 'none' } : { kind: 'more', before: page.next },
  };
}

function onEvent(state: ChatState, heard: WorldEvent): ChatState {
  const isStored = isStoredEvent(heard);
  if (isStored && heard.id <= state.lastEventId) return state;
  const next = isOurs(state, heard) ? take(state, heard) : state;
  return isStored ? { ...next, lastEventId: heard.id } : next;
}

/** A world's stream also has events from other chats. */
function isOurs({ chatId }: ChatState, heard: WorldEvent): boolean {
  return heard.chatId === undefined || heard.chatId === chatId;
}

function take(state: ChatState, heard: WorldEvent): ChatState {
  switch (heard.event) {
    case 'message':
      return addMessage(state, heard.data, heard.id);
    case 'tool':
      return learnEvent(state, heard.data);
    case 'tool-output':
      return { ...state, outputs: hearOutput(state.outputs, heard.data) };
    case 'sse': {
      const { data } = heard;
      const isNew = !state.streams.some(({ messageId }) => messageId === data.messageId);
      const isChunk = data.type === 'chunk' || data.type === 'thinking';
      // This is a late chunk from a stopped answer: nothing would ever end this stream.
      if (isChunk && isNew && state.status !== 'working') return state;
      return { ...state, streams: hear(state.streams, data, has(state.messages, data.messageId)) };
    }
    case 'system':
      if (heard.data.type === 'title') {
        return heard.id <= state.chatShownAt ? state : { ...state, title: heard.data.message };
      }
      // The transcript already shows it.
      if (heard.data.messageId !== undefined) return state;
      return withNotice(state, heard, { afterMessageId: lastLine(state)?.messageId, me: state.me?.id });
    case 'world': {
      const { type, turnId } = heard.data;
      if (type === 'turn-ended') {
        const streams = state.streams.filter(({ agentId }) => turnId?.endsWith(`.${agentId}`) !== true);
        return { ...state, streams };
      }
      const streams = type === 'working' ? state.streams : [];
      return { ...state, streams, status: heard.id <= state.chatShownAt ? state.status : type };
    }
    case 'crud': {
      const { entity, operation, id } = heard.data;
      const isGone = operation === 'delete' && (entity === 'chat' ? id === state.chatId : entity === 'world');
      return isGone ? { ...state, deleted: true, status: 'idle', streams: [] } : state;
    }
  }
}

function addMessage(state: ChatState, message: Message, eventId: number): ChatState {
  // The message was written between our position and the loaded page, but is older than that page, so it will arrive with its own page.
  const isFurtherUp = eventId <= state.pageShownAt;
  let line: TranscriptMessage | undefined;
  const next = learnMessage(state, message, (added) => {
    line = added;
    return !isFurtherUp;
  });
  if (line === undefined || isFurtherUp) return next;
  return { ...next, transcript: append(next.transcript, [line.messageId]) };
}

/** Applies a message. `place` is called with a new line and may reject it. */
function learnMessage(
  state: ChatState,
  message: Message,
  place: (line: TranscriptMessage) => boolean | void,
): ChatState {
  const meaning = readMessage(message);
  switch (meaning.kind) {
    case 'line': {
      const { line, calls } = meaning;
      // The live stream of this message is over, even if its page is not loaded.
      const streams = drop(state.streams, line.messageId);
      let next = streams === state.streams ? state : { ...state, streams };
      if (!has(next.messages, line.messageId) && place(line) !== false) {
        next = { ...next, messages: set(next.messages, line.messageId, line) };
      }
      const agentId = line.speaker.kind === 'agent' ? line.speaker.agentId : '';
      for (const call of calls) next = learnCall(next, line.messageId, agentId, call);
      return next;
    }
    case 'request': {
      const { approval, decision } = meaning;
      const asked = ask(state, approval);
      return decision === undefined ? asked : answer(asked, approval.approvalId, decision);
    }
    case 'signature':
      return sign(state, meaning.approvalId, meaning.needs);
    case 'decision':
      return answer(state, meaning.approvalId, meaning.decision);
    case 'result':
      return learnResult(state, meaning);
    case 'undo':
      return learnUndo(state, meaning);
    case 'nothing':
      return state;
  }
}

function ask(state: ChatState, asked: Parameters<typeof request>[1]): ChatState {
  const next = request(state, asked);
  const approval = get(next.approvals, asked.approvalId);
  return next === state || approval === undefined ? next : learnApproval(next, approval);
}

function answer(state: ChatState, approvalId: string, decision: Parameters<typeof decide>[2]): ChatState {
  const next = decide(state, approvalId, decision);
  const approval = get(next.approvals, approvalId);
  return next === state || approval === undefined ? next : learnApproval(next, approval);
}

function withChat(state: ChatState, chat: Chat): ChatState {
  const shownAt = chat.lastEventId ?? state.lastEventId;
  // Responses may arrive out of order.
  if (shownAt < state.chatShownAt) return state;
  // Events received after this response was produced have a newer status.
  const status = shownAt < state.lastEventId ? state.status : chat.status;
  return { ...state, title: chat.title, status, createdAt: chat.createdAt, chatShownAt: shownAt };
}

function lastLine(state: ChatState): TranscriptMessage | undefined {
  const id = rowAt(state.transcript, state.transcript.length - 1);
  return id === undefined ? undefined : get(state.messages, id);
}
