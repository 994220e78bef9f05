import { prepared, type Statement } from './prepared.js';
import type { SearchDialect } from './search.js';

export type PurgeStatements = ReturnType<typeof purgeStatements>;

/** Everything that belongs to a chat, or to all chats in a world, except the audit log and used ids (LOG1, CALL17). */
export function purgeStatements({ ordinal }: SearchDialect) {
  const remove = (table: string, which: string): Statement<{ id: string }, never> =>
    prepared(`delete from ${table} where ${which}`);
  const ofChats = (chats: string) => ({
    invocations: remove('invocations', `turn_id in (select id from turns where ${chats})`),
    turns: remove('turns', chats),
    approvals: remove('approvals', chats),
    grants: remove('grants', chats),
    messages: remove('messages', chats),
    attachments: remove('attachments', chats),
    schedules: remove('schedules', chats),
    searchWords: remove('search_words', `${ordinal} in (select ordinal from search_documents where ${chats})`),
    searchDocuments: remove('search_documents', chats),
  });
  return {
    chat: {
      ...ofChats('chat_id = :id'),
      events: remove('events', 'chat_id = :id'),
      itself: remove('chats', 'id = :id'),
    },
    world: {
      ...ofChats('chat_id in (select id from chats where world_id = :id)'),
      events: remove('events', 'world_id = :id'),
      searched: remove('searched', 'world_id = :id'),
      webhookCursors: remove('webhook_cursors', 'world_id = :id'),
      clients: remove('clients', 'world_id = :id'),
      mcpTools: remove('mcp_tools', 'world_id = :id'),
      mcpServers: remove('mcp_servers', 'world_id = :id'),
      chats: remove('chats', 'world_id = :id'),
    },
  };
}
