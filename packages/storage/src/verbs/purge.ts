import type { StoreTransaction } from '@countersign/core/ports';
import { sql } from 'kysely';
import type { Connection } from '../connection.js';
import { prepared, type Queries } from '../prepared.js';
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

export function purgeVerbs(
  on: Connection,
  s: PurgeStatements,
  buryWorld: (id: string) => Promise<void>,
): Pick<StoreTransaction, 'deleteChat' | 'deleteWorld' | 'clearIndexes'> {
  // Calls are found by their turns, turns by their chats: each goes before what leads to it.
  const { chat, world } = s;
  const ofChat = [
    ...[chat.invocations, chat.turns, chat.approvals, chat.grants, chat.events, chat.messages],
    ...[chat.searchWords, chat.searchDocuments],
  ];
  const indexes = [
    ...[world.invocations, world.turns, world.approvals, world.grants],
    ...[world.searchWords, world.searchDocuments, world.searched],
  ];
  const deleteChat = [...ofChat, chat.itself].map((statement) => on.run(statement));
  const clearIndexes = indexes.map((statement) => on.run(statement));
  const { events, messages, clients, mcpTools, mcpServers, chats } = s.world;
  const deleteWorld = [...indexes, events, messages, clients, mcpTools, mcpServers, chats].map((statement) =>
    on.run(statement),
  );

  return {
    async deleteChat(id) {
      await on.lockChat(id);
      for (const remove of deleteChat) await remove({ id });
    },
    async deleteWorld(id) {
      for (const remove of deleteWorld) await remove({ id });
      await buryWorld(id);
    },
    async clearIndexes(id) {
      for (const remove of clearIndexes) await remove({ id });
    },
  };
}
