import { sql } from 'kysely';
import { chatColumns } from '../columns.js';
import { prepared, upTo, valuesOf, type Cells, type Queries, type RowOf } from './prepared.js';
import type { ChatsTable } from '../schema.js';

export type ChatRow = Cells<ChatsTable, typeof chatColumns>;

export type ChatStatements = ReturnType<typeof chatStatements>;

export function chatStatements(db: Queries) {
  const chats = db.selectFrom('chats').select(chatColumns);

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
    insertChat: prepared<RowOf<ChatsTable>>((p) => db.insertInto('chats').values(valuesOf(chatColumns, p))),
  };
}
