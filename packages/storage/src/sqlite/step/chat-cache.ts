import type { ChatState, ClientRecord, McpToolRecord } from '@countersign/core/ports';
import { approvalLength } from '../../verbs/approvals.js';

/** A world's last event number and audit record. */
export interface Heads {
  lastEvent: number;
  seq: number;
  hash: string;
}

interface CachedWorld {
  /** Null if the world doesn't exist. */
  rev?: number | null;
  heads?: Heads;
  /** The number of open and queued turns. */
  working?: number | undefined;
  /** Pending approvals by agent and chat, only for agents that were looked up. */
  pending?: Map<string, Map<string, number>>;
  /** Clients that were looked up. Only a transaction changes them. */
  clients?: Map<string, ClientRecord>;
  /** The last unregistered client that was looked up. */
  noClient?: string;
  mcpTools?: Map<string, McpToolRecord>;
  hasAsker?: boolean;
}

export interface CachedChat {
  state: ChatState;
  /** The number of open and queued turns. */
  working: number;
  /** An upper bound for the size of the chat's text. */
  text: number;
  /** False if the chat has no grants, so that the query can be skipped. */
  hasGrants?: boolean;
  hasUnknown?: boolean;
}

const MAX_CHATS = 1_000;
const MAX_TEXT = 16_000_000;

/**
 * A cache for a store with a single owner: the states of recently used chats, and the counters of their worlds (LIMIT1). Any other write, and any
 * failed write, clears the cache.
 */
export interface StateCache {
  /** Marks the chat as most recently used. */
  chat(id: string): CachedChat | undefined;
  keep(state: ChatState): CachedChat;
  drop(id: string): void;
  /** Adds to the text size of a chat. */
  grow(chat: CachedChat, text: number): void;
  world(id: string): CachedWorld;
  /** Pending approvals of an agent by chat; loaded on first use. */
  pending(worldId: string, agentId: string, read: ReadPending): ReadonlyMap<string, number>;
  countPending(of: { worldId: string; agentId: string; chatId: string }, more: number): void;
  clear(): void;
  /** Called between steps: evicts the least recently used entries over the limit. */
  trim(): void;
}

type ReadPending = (of: { worldId: string; agentId: string }) => readonly [chatId: string, waiting: number][];

export function createStateCache(mostChats = MAX_CHATS, mostText = MAX_TEXT): StateCache {
  const chats = new Map<string, CachedChat>();
  const worlds = new Map<string, CachedWorld>();
  let text = 0;

  function drop(id: string): void {
    text -= chats.get(id)?.text ?? 0;
    chats.delete(id);
  }

  function world(id: string): CachedWorld {
    const known = worlds.get(id);
    if (known !== undefined) return known;
    const made: CachedWorld = {};
    worlds.set(id, made);
    return made;
  }

  return {
    chat(id) {
      const entry = chats.get(id);
      if (entry === undefined) return undefined;
      chats.delete(id);
      chats.set(id, entry);
      return entry;
    },
    keep(state) {
      const entry: CachedChat = { state, working: countWorking(state), text: textOf(state) };
      drop(state.chat.id);
      chats.set(state.chat.id, entry);
      text += entry.text;
      return entry;
    },
    drop,
    grow(chat, more) {
      chat.text += more;
      text += more;
    },
    world,
    pending(worldId, agentId, read) {
      const byAgent = (world(worldId).pending ??= new Map());
      let byChat = byAgent.get(agentId);
      if (byChat === undefined) {
        byChat = new Map(read({ worldId, agentId }));
        byAgent.set(agentId, byChat);
      }
      return byChat;
    },
    countPending({ worldId, agentId, chatId }, more) {
      const byChat = worlds.get(worldId)?.pending?.get(agentId);
      if (byChat === undefined) return;
      const count = (byChat.get(chatId) ?? 0) + more;
      if (count === 0) byChat.delete(chatId);
      else byChat.set(chatId, count);
    },
    clear() {
      chats.clear();
      worlds.clear();
      text = 0;
    },
    trim() {
      // The cache also contains unknown worlds that were queried.
      if (worlds.size > mostChats) worlds.clear();
      if (chats.size <= mostChats && text <= mostText) return;
      for (const id of chats.keys()) {
        if (chats.size <= mostChats / 2 && text <= mostText / 2) return;
        drop(id);
      }
    },
  };
}

export function countWorking({ turns }: ChatState): number {
  let count = 0;
  for (const { state } of turns.values()) if (state === 'open' || state === 'queued') count += 1;
  return count;
}

function textOf({ calls, approvals }: ChatState): number {
  let text = 0;
  for (const call of calls.values()) text += call.arguments.length + (call.result?.length ?? 0);
  for (const approval of approvals.values()) text += approvalLength(approval);
  return text;
}
