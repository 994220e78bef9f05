import { chats, type Cells } from '../schema.js';
import { insertInto, prepared } from './prepared.js';

export type ChatRow = Cells<typeof chats>;

export type ChatStatements = typeof chatStatements;

const select = `select ${chats.names.join(', ')} from chats`;
const ordinalOf = (id: string, otherwise: number): string =>
  `coalesce((select c.ordinal from chats c where c.id = ${id}), ${otherwise})`;

export const chatStatements = {
  chat: prepared<{ id: string }, ChatRow>(`${select} where id = :id`),
  chats: prepared<{ worldId: string }, ChatRow>(`${select} where world_id = :worldId order by ordinal`),
  chatsAfter: prepared<{ worldId: string; after: string; limit: number }, ChatRow>(
    `${select} where world_id = :worldId and ordinal > ${ordinalOf(':after', 0)} order by ordinal limit :limit + 0`,
  ),
  lastChats: prepared<{ worldId: string; before: string; limit: number }, ChatRow>(
    `${select} where world_id = :worldId and ordinal < ${ordinalOf(':before', Number.MAX_SAFE_INTEGER)} order by ordinal desc limit :limit + 0`,
  ),
  branches: prepared<{ root: string; limit: number }, ChatRow>(
    `${select} where root = :root order by ordinal desc limit :limit + 0`,
  ),
  insertChat: insertInto(chats),
};
