import type { ChatRecord, StoreTransaction } from '@countersign/core/ports';
import { DEFAULT_CHAT_TITLE } from '@countersign/protocol';
import { sql } from 'kysely';
import type { Connection } from '../connection.js';
import { aliased, prepared, type Queries, type RowOf } from '../prepared.js';
import type { ChatsTable } from '../schema.js';
import type { Session } from '../session.js';

export type ChatStatements = ReturnType<typeof chatStatements>;

export function chatStatements(db: Queries) {
  const chats = db
    .selectFrom('chats')
    .select(aliased(['id', 'world_id', 'title', 'titled', 'status', 'last_seq', 'human_seq', 'created_at']));

  return {
    chat: prepared<{ id: string }>()((p) => chats.where('id', '=', p('id'))),
    chats: prepared<{ worldId: string }>()((p) => chats.where('world_id', '=', p('worldId')).orderBy('ordinal')),
    insertChat: prepared<Pick<RowOf<ChatsTable>, 'id' | 'worldId' | 'title' | 'titled' | 'createdAt'>>()((p) =>
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
    setChatStatus: prepared<{ id: string; status: string }>()((p) =>
      db
        .updateTable('chats')
        .set({ status: p('status') })
        .where('id', '=', p('id')),
    ),
    setChatTitle: prepared<{ id: string; title: string }>()((p) =>
      db
        .updateTable('chats')
        .set({ title: p('title'), titled: sql.lit(1) })
        .where('id', '=', p('id')),
    ),
  };
}

type ChatVerbs = Pick<StoreTransaction, 'chat' | 'chats' | 'insertChat' | 'setChatStatus' | 'setChatTitle'>;

export function chatVerbs(on: Connection, s: ChatStatements, session: Session): ChatVerbs {
  const chat = on.first(s.chat);
  const chats = on.all(s.chats);
  const insertChat = on.run(s.insertChat);
  const setChatStatus = on.run(s.setChatStatus);
  const setChatTitle = on.run(s.setChatTitle);

  return {
    async chat(id) {
      const row = await chat({ id });
      return row && toChat(row);
    },
    chats: async (worldId) => (await chats({ worldId })).map(toChat),
    async insertChat({ id, worldId, title }) {
      const titled = title !== DEFAULT_CHAT_TITLE;
      await insertChat({ id, worldId, title, titled: Number(titled), createdAt: session.now });
      return { id, worldId, title, titled, status: 'idle', lastSeq: 0, humanSeq: 0, createdAt: session.now };
    },
    async setChatStatus(id, status) {
      await setChatStatus({ id, status });
    },
    async setChatTitle(id, title) {
      await setChatTitle({ id, title });
    },
  };
}

function toChat(row: RowOf<ChatsTable>): ChatRecord {
  return { ...row, titled: row.titled === 1, status: row.status as ChatRecord['status'] };
}
