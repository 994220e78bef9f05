import { sql } from 'kysely';
import { prepared, type Queries } from './prepared.js';
import { searchPurge, type SearchDialect } from './search.js';

export type PurgeStatements = ReturnType<typeof purgeStatements>;

/** What belongs to a chat, or to all chats of a world. The audit log and taken ids are never among it (A16, A22). */
export function purgeStatements(db: Queries, dialect: SearchDialect) {
  const search = searchPurge(db, dialect);
  const chatsOf = (worldId: string) => sql<boolean>`chat_id in (select id from chats where world_id = ${worldId})`;
  const turnsIn = (chat: ReturnType<typeof chatsOf>) => sql<boolean>`turn_id in (select id from turns where ${chat})`;
  const inChat = (chatId: string) => sql<boolean>`chat_id = ${chatId}`;

  return {
    chat: {
      invocations: prepared<{ id: string }>((p) => db.deleteFrom('invocations').where(turnsIn(inChat(p('id'))))),
      turns: prepared<{ id: string }>((p) => db.deleteFrom('turns').where(inChat(p('id')))),
      approvals: prepared<{ id: string }>((p) => db.deleteFrom('approvals').where(inChat(p('id')))),
      grants: prepared<{ id: string }>((p) => db.deleteFrom('grants').where(inChat(p('id')))),
      events: prepared<{ id: string }>((p) => db.deleteFrom('events').where(inChat(p('id')))),
      messages: prepared<{ id: string }>((p) => db.deleteFrom('messages').where(inChat(p('id')))),
      searchWords: search.chat.words,
      searchDocuments: search.chat.documents,
      itself: prepared<{ id: string }>((p) => db.deleteFrom('chats').where('id', '=', p('id'))),
    },
    world: {
      invocations: prepared<{ id: string }>((p) => db.deleteFrom('invocations').where(turnsIn(chatsOf(p('id'))))),
      turns: prepared<{ id: string }>((p) => db.deleteFrom('turns').where(chatsOf(p('id')))),
      approvals: prepared<{ id: string }>((p) => db.deleteFrom('approvals').where(chatsOf(p('id')))),
      grants: prepared<{ id: string }>((p) => db.deleteFrom('grants').where(chatsOf(p('id')))),
      events: prepared<{ id: string }>((p) => db.deleteFrom('events').where('world_id', '=', p('id'))),
      messages: prepared<{ id: string }>((p) => db.deleteFrom('messages').where(chatsOf(p('id')))),
      searchWords: search.world.words,
      searchDocuments: search.world.documents,
      searched: search.world.searched,
      clients: prepared<{ id: string }>((p) => db.deleteFrom('clients').where('world_id', '=', p('id'))),
      mcpTools: prepared<{ id: string }>((p) => db.deleteFrom('mcp_tools').where('world_id', '=', p('id'))),
      mcpServers: prepared<{ id: string }>((p) => db.deleteFrom('mcp_servers').where('world_id', '=', p('id'))),
      chats: prepared<{ id: string }>((p) => db.deleteFrom('chats').where('world_id', '=', p('id'))),
    },
  };
}
