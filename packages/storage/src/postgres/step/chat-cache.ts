import type { ChatState, ClientRecord, RowChange } from '@countersign/core/ports';
import { approvalLength } from '../../verbs/approvals.js';

/** The cached state of a chat. Another process may have changed it, so the append checks its version. */
export interface CachedChat {
  state: ChatState;
  /** The last transaction that wrote the chat's row. */
  version: string;
  /** False if the chat has no grants, so that the query can be skipped. */
  hasGrants: boolean;
  hasUnknown: boolean;
}

export interface CachedClient {
  /** Undefined, with a null version, if the client doesn't exist. */
  client: ClientRecord | undefined;
  version: string | null;
}

const MAX_CHATS = 1_000;
const MAX_TEXT = 16_000_000;
const MAX_WORLDS = 1_000;
const MAX_CLIENTS = 1_000;
const MAX_VERSIONS = 10_000;

/** This process's cache of recently used chats. */
export interface ChatCache {
  chat(id: string): CachedChat | undefined;
  keep(id: string, chat: CachedChat): void;
  drop(id: string): void;
  /** The last known version, even if the chat is no longer cached. */
  lastVersion(id: string): string | undefined;
  client(id: string): CachedClient | undefined;
  keepClient(id: string, client: CachedClient): void;
  dropClient(id: string): void;
  rev(worldId: string): number | undefined;
  keepRev(worldId: string, rev: number): void;
  dropRev(worldId: string): void;
  /** Clears the clients and `rev` of all worlds. */
  forgetWorlds(): void;
  clear(): void;
}

export function createChatCache(mostChats = MAX_CHATS, mostText = MAX_TEXT): ChatCache {
  const chats = new Map<string, CachedChat & { text: number }>();
  const versions = new Map<string, string>();
  const clients = new Map<string, CachedClient>();
  const revs = new Map<string, number>();
  let text = 0;

  function drop(id: string): void {
    text -= chats.get(id)?.text ?? 0;
    chats.delete(id);
  }
  /** Evicts the least recently used entries over the limit. */
  function trim(): void {
    if (chats.size <= mostChats && text <= mostText) return;
    for (const id of chats.keys()) {
      if (chats.size <= mostChats / 2 && text <= mostText / 2) return;
      drop(id);
    }
  }

  return {
    chat: (id) => chats.get(id),
    keep(id, chat) {
      drop(id);
      const size = textOf(chat.state);
      chats.set(id, { ...chat, text: size });
      text += size;
      if (versions.size >= MAX_VERSIONS) versions.clear();
      versions.set(id, chat.version);
      trim();
    },
    drop,
    lastVersion: (id) => versions.get(id),
    client: (id) => clients.get(id),
    keepClient(id, client) {
      if (clients.size >= MAX_CLIENTS) clients.clear();
      clients.set(id, client);
    },
    dropClient: (id) => void clients.delete(id),
    rev: (worldId) => revs.get(worldId),
    keepRev(worldId, rev) {
      if (revs.size >= MAX_WORLDS) revs.clear();
      revs.set(worldId, rev);
    },
    dropRev: (worldId) => void revs.delete(worldId),
    forgetWorlds() {
      clients.clear();
      revs.clear();
    },
    clear() {
      chats.clear();
      versions.clear();
      clients.clear();
      revs.clear();
      text = 0;
    },
  };
}

/** The chat after a committed step whose changes were applied to its state. */
export function chatAfter(chat: CachedChat, facts: readonly RowChange[], version: string): CachedChat {
  const { id } = chat.state.chat;
  const next = { ...chat };
  for (const fact of facts) {
    if (chatOf(fact) !== id) continue;
    next.version = version;
    if (fact.kind === 'grant-given') next.hasGrants = true;
    else if (fact.kind === 'call-changed' && fact.change.outcomeUnknown === true) next.hasUnknown = true;
    else if (fact.kind === 'call-proposed' && fact.call.outcomeUnknown) next.hasUnknown = true;
  }
  return next;
}

function chatOf(fact: RowChange): string | undefined {
  switch (fact.kind) {
    case 'message-written':
      return fact.message.chatId;
    case 'turn-queued':
      return fact.turn.chatId;
    case 'call-proposed':
      return fact.call.chatId;
    case 'approval-requested':
      return fact.approval.chatId;
    case 'grant-given':
      return fact.grant.chatId;
    case 'chat-created':
      return fact.chat.id;
    case 'policy-changed':
    case 'agent-added':
    case 'agent-removed':
    case 'world-deleted':
      return undefined;
    case 'chat-changed':
    case 'chat-deleted':
    case 'turn-changed':
    case 'call-changed':
    case 'outcome-accepted':
    case 'approval-signed':
    case 'approval-settled':
    case 'grant-used':
      return fact.chatId;
  }
}

function textOf({ calls, approvals }: ChatState): number {
  let text = 0;
  for (const call of calls.values()) text += call.arguments.length + (call.result?.length ?? 0);
  for (const approval of approvals.values()) text += approvalLength(approval);
  return text;
}
