import type { ChatRecord, StoreReader } from '@countersign/core/ports';
import type { Connection } from '../connection.js';
import type { ChatRow, ChatStatements } from '../queries/chats.js';

type ChatVerbs = Pick<StoreReader, 'chat' | 'chats' | 'chatsAfter' | 'lastChats' | 'branches'>;

export function chatVerbs(on: Connection, s: ChatStatements): ChatVerbs {
  const chat = on.first(s.chat, toChat);
  const chats = on.all(s.chats, toChat);
  const chatsAfter = on.all(s.chatsAfter, toChat);
  const lastChats = on.all(s.lastChats, toChat);
  const branches = on.all(s.branches, toChat);

  return {
    chat: async (id) => chat({ id }),
    chats: async (worldId) => chats({ worldId }),
    chatsAfter: async (worldId, { after = '', limit }) => chatsAfter({ worldId, after, limit }),
    lastChats: async (worldId, { before = '', limit }) => (await lastChats({ worldId, before, limit })).toReversed(),
    branches: async (root, limit) => branches({ root, limit }),
  };
}

export function toChat([
  id,
  worldId,
  title,
  titled,
  status,
  lastSeq,
  humanSeq,
  session,
  root,
  parts,
  branches,
  filed,
  createdAt,
]: ChatRow): ChatRecord {
  return {
    id,
    worldId,
    title,
    titled: titled === 1,
    status: status as ChatRecord['status'],
    lastSeq,
    humanSeq,
    session,
    root,
    parts,
    branches,
    filed: filed as ChatRecord['filed'],
    createdAt,
  };
}
