import type { StoreTransaction } from '@countersign/core/ports';
import type { Connection } from '../connection.js';
import type { PurgeStatements } from '../queries/purge.js';

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
