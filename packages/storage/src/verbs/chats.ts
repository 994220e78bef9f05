import type { ChatRecord, StoreTransaction } from '@countersign/core/ports';
import { DEFAULT_CHAT_TITLE } from '@countersign/protocol';
import type { Connection } from '../connection.js';
import type { Session } from '../session.js';
import type { ChatRow, ChatStatements } from '../queries/chats.js';

type ChatVerbs = Pick<
  StoreTransaction,
  | 'chat'
  | 'chats'
  | 'chatsAfter'
  | 'lastChats'
  | 'insertChat'
  | 'lockChat'
  | 'lockAgent'
  | 'setChatStatus'
  | 'setChatTitle'
>;

export function chatVerbs(on: Connection, s: ChatStatements, session: Session): ChatVerbs {
  const chat = on.first(s.chat, toChat);
  const chats = on.all(s.chats, toChat);
  const chatsAfter = on.all(s.chatsAfter, toChat);
  const lastChats = on.all(s.lastChats, toChat);
  const insertChat = on.run(s.insertChat);
  const setChatStatus = on.run(s.setChatStatus);
  const setChatTitle = on.run(s.setChatTitle);

  return {
    chat: async (id) => chat({ id }),
    chats: async (worldId) => chats({ worldId }),
    chatsAfter: async (worldId, { after = '', limit }) => chatsAfter({ worldId, after, limit }),
    lastChats: async (worldId, { before = '', limit }) => (await lastChats({ worldId, before, limit })).toReversed(),
    async insertChat({ id, worldId, title }) {
      const titled = title !== DEFAULT_CHAT_TITLE;
      await insertChat({ id, worldId, title, titled: Number(titled), createdAt: session.now });
      return { id, worldId, title, titled, status: 'idle', lastSeq: 0, humanSeq: 0, createdAt: session.now };
    },
    lockChat: async (id) => on.lockChat(id),
    lockAgent: async (worldId, id) => on.lockAgent(worldId, id),
    async setChatStatus(id, status) {
      await setChatStatus({ id, status });
    },
    async setChatTitle(id, title) {
      await setChatTitle({ id, title });
    },
  };
}

export function toChat([id, worldId, title, titled, status, lastSeq, humanSeq, createdAt]: ChatRow): ChatRecord {
  return {
    id,
    worldId,
    title,
    titled: titled === 1,
    status: status as ChatRecord['status'],
    lastSeq,
    humanSeq,
    createdAt,
  };
}
