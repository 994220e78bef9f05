import type { ChatRecord, StoreTransaction } from '@countersign/core/ports';
import { DEFAULT_CHAT_TITLE } from '@countersign/protocol';
import { sql } from 'kysely';
import type { Connection } from '../connection.js';
import { prepared, upTo, type Cells, type Queries, type RowOf } from '../prepared.js';
import type { ChatsTable } from '../schema.js';
import type { Session } from '../session.js';

const columns = [
  'id',
  'world_id',
  'title',
  'titled',
  'status',
  'last_seq',
  'human_seq',
  'created_at',
] as const satisfies readonly (keyof ChatsTable)[];

type ChatRow = Cells<ChatsTable, typeof columns>;

export type ChatStatements = ReturnType<typeof chatStatements>;

export function chatStatements(db: Queries) {
  const chats = db.selectFrom('chats').select(columns);

  return {
    chat: prepared<{ id: string }, ChatRow>((p) => chats.where('id', '=', p('id'))),
    chats: prepared<{ worldId: string }, ChatRow>((p) => chats.where('world_id', '=', p('worldId')).orderBy('ordinal')),
    chatsAfter: prepared<{ worldId: string; after: string; limit: number }, ChatRow>((p) =>
      chats
        .where('world_id', '=', p('worldId'))
        .where('ordinal', '>', sql<number>`coalesce((select c.ordinal from chats c where c.id = ${p('after')}), 0)`)
        .orderBy('ordinal')
        .limit(upTo(p('limit'))),
    ),
    lastChats: prepared<{ worldId: string; before: string; limit: number }, ChatRow>((p) =>
      chats
        .where('world_id', '=', p('worldId'))
        .where(
          'ordinal',
          '<',
          sql<number>`coalesce((select c.ordinal from chats c where c.id = ${p('before')}), 9007199254740991)`,
        )
        .orderBy('ordinal', 'desc')
        .limit(upTo(p('limit'))),
    ),
    insertChat: prepared<Pick<RowOf<ChatsTable>, 'id' | 'worldId' | 'title' | 'titled' | 'createdAt'>>((p) =>
      db.insertInto('chats').values({
        id: p('id'),
        world_id: p('worldId'),
        title: p('title'),
        titled: p('titled'),
        status: sql.lit('idle'),
        last_seq: sql.lit(0),
        human_seq: sql.lit(0),
        created_at: p('createdAt'),
      }),
    ),
    setChatStatus: prepared<{ id: string; status: string }>((p) =>
      db
        .updateTable('chats')
        .set({ status: p('status') })
        .where('id', '=', p('id')),
    ),
    /** What a step changes of a chat, in one. */
    placeChat: prepared<Pick<RowOf<ChatsTable>, 'id' | 'lastSeq' | 'humanSeq' | 'status'>>((p) =>
      db
        .updateTable('chats')
        .set({ last_seq: p('lastSeq'), human_seq: p('humanSeq'), status: p('status') })
        .where('id', '=', p('id')),
    ),
    setChatTitle: prepared<{ id: string; title: string }>((p) =>
      db
        .updateTable('chats')
        .set({ title: p('title'), titled: sql.lit(1) })
        .where('id', '=', p('id')),
    ),
  };
}

type ChatVerbs = Pick<
  StoreTransaction,
  'chat' | 'chats' | 'chatsAfter' | 'lastChats' | 'insertChat' | 'lockChat' | 'setChatStatus' | 'setChatTitle'
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
    async setChatStatus(id, status) {
      await setChatStatus({ id, status });
    },
    async setChatTitle(id, title) {
      await setChatTitle({ id, title });
    },
  };
}

function toChat([id, worldId, title, titled, status, lastSeq, humanSeq, createdAt]: ChatRow): ChatRecord {
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
