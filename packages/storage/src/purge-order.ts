import type { PurgeStatements } from './queries/purge.js';

/**
 * The order in which to delete a chat's or world's rows. Calls are found through their turns and turns through their chats, so delete the
 * dependent rows first.
 */
export function purgeOrder({ chat, world }: PurgeStatements) {
  return {
    chat: [
      ...[chat.invocations, chat.turns, chat.approvals, chat.grants, chat.events, chat.messages],
      ...[chat.attachments, chat.schedules, chat.searchWords, chat.searchDocuments, chat.itself],
    ],
    world: [
      ...[world.invocations, world.turns, world.approvals, world.grants, world.attachments, world.schedules],
      ...[world.searchWords, world.searchDocuments, world.searched, world.webhookCursors],
      ...[world.events, world.messages, world.clients, world.mcpTools, world.mcpServers, world.chats],
    ],
  };
}
