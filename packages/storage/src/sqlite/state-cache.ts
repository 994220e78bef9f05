import type { ChatState, ClientRecord, McpToolRecord } from '@countersign/core/ports';

/** Where a world's events and audit records end. */
export interface Heads {
  lastEvent: number;
  seq: number;
  hash: string;
}

interface CachedWorld {
  /** Null: there is no such world. */
  rev?: number | null;
  heads?: Heads;
  /** Its open and queued turns. */
  working?: number | undefined;
  /** Pending approvals, by agent and chat; only of agents that were asked about. */
  pending?: Map<string, Map<string, number>>;
  /** Those that were asked about. Only a transaction changes them. */
  clients?: Map<string, ClientRecord>;
  /** The last one that was asked about and is not registered. */
  noClient?: string;
  mcpTools?: Map<string, McpToolRecord>;
  hasAsker?: boolean;
}

export interface CachedChat {
  state: ChatState;
  /** Of its turns, those that are open or queued. */
  working: number;
  /** How much text it holds, at most. */
  text: number;
  /** False: there are none, so nobody has to look. */
  hasGrants?: boolean;
  hasUnknown?: boolean;
}

const MOST_CHATS = 1_000;
const MOST_TEXT = 16_000_000;

/**
 * What a store that one process owns remembers between steps: the state of chats used last, and the numbers of their worlds. Nobody else
 * can change them (N1). Any other write, and a write that fails, clears it.
 */
export interface StateCache {
  /** As the one used last. */
  chat(id: string): CachedChat | undefined;
  keep(state: ChatState): CachedChat;
  drop(id: string): void;
  /** So much text was added. */
  grow(chat: CachedChat, text: number): void;
  world(id: string): CachedWorld;
  /** How many approvals of an agent are pending in each chat; read if nobody has asked before. */
  pending(worldId: string, agentId: string, read: ReadPending): ReadonlyMap<string, number>;
  countPending(of: { worldId: string; agentId: string; chatId: string }, more: number): void;
  clear(): void;
  /** Between steps, also those that only read: what was used least goes when there is too much. */
  trim(): void;
}

type ReadPending = (of: { worldId: string; agentId: string }) => readonly [chatId: string, waiting: number][];

export function createStateCache(mostChats = MOST_CHATS, mostText = MOST_TEXT): StateCache {
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
      const kept = chats.get(id);
      if (kept === undefined) return undefined;
      chats.delete(id);
      chats.set(id, kept);
      return kept;
    },
    keep(state) {
      const kept: CachedChat = { state, working: countWorking(state), text: textOf(state) };
      drop(state.chat.id);
      chats.set(state.chat.id, kept);
      text += kept.text;
      return kept;
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
      // Also worlds that somebody only asked for, and that don't exist.
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
  for (const { message, preview } of approvals.values()) text += message.length + (preview?.text.length ?? 0);
  return text;
}
