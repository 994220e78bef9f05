import type { StoreTransaction } from '@countersign/core/ports';
import type { Connection } from '../connection.js';
import type { PurgeStatements } from '../queries/purge.js';

/** Calls are found by their turns, turns by their chats: each goes before what leads to it. */
export function purgeOrder({ chat, world }: PurgeStatements) {
  return {
    chat: [
      ...[chat.invocations, chat.turns, chat.approvals, chat.grants, chat.events, chat.messages],
      ...[chat.searchWords, chat.searchDocuments, chat.itself],
    ],
    world: [
      ...[world.invocations, world.turns, world.approvals, world.grants],
      ...[world.searchWords, world.searchDocuments, world.searched],
      ...[world.events, world.messages, world.clients, world.mcpTools, world.mcpServers, world.chats],
    ],
  };
}

export function purgeVerbs(
  on: Connection,
  s: PurgeStatements,
  buryWorld: (id: string) => Promise<void>,
): Pick<StoreTransaction, 'deleteChat' | 'deleteWorld'> {
  const order = purgeOrder(s);
  const deleteChat = order.chat.map((statement) => on.run(statement));
  const deleteWorld = order.world.map((statement) => on.run(statement));

  return {
    async deleteChat(id) {
      await on.lockChat(id);
      for (const remove of deleteChat) await remove({ id });
    },
    async deleteWorld(id) {
      for (const remove of deleteWorld) await remove({ id });
      await buryWorld(id);
    },
  };
}
