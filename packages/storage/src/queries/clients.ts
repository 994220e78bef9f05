import { clients, type Cells } from '../schema.js';
import { insertInto, prepared } from './prepared.js';

export type ClientRow = Cells<typeof clients>;

export type ClientStatements = typeof clientStatements;

const select = `select ${clients.names.join(', ')} from clients`;

export const clientStatements = {
  client: prepared<{ id: string }, ClientRow>(`${select} where id = :id`),
  clients: prepared<{ worldId: string }, ClientRow>(`${select} where world_id = :worldId order by ordinal`),
  asker: prepared<{ worldId: string }, [id: string]>(
    'select id from clients where world_id = :worldId and approvals = 1 and left_at is null limit 1',
  ),
  insertClient: insertInto(clients),
  allClients: prepared<object, ClientRow>(`${select} order by ordinal`),
  setClientConnected: prepared<{ id: string; process: string }>(
    'update clients set left_at = null, connected_to = :process where id = :id',
  ),
  setClientCut: prepared<{ id: string; process: string; leftAt: number }>(
    `update clients set left_at = :leftAt, connected_to = '' where id = :id and connected_to = :process and left_at is null`,
  ),
  deleteClient: prepared<{ id: string }>('delete from clients where id = :id'),
};
