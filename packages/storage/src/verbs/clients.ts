import type { ClientRecord, StoreTransaction } from '@countersign/core/ports';
import type { Connection } from '../connection.js';
import { prepared, valuesOf, type Cells, type Queries, type RowOf } from '../prepared.js';
import type { ClientsTable } from '../schema.js';

const columns = [
  'id',
  'world_id',
  'label',
  'secret_hash',
  'approvals',
  'tools',
  'left_at',
  'created_at',
] as const satisfies readonly (keyof ClientsTable)[];

type ClientRow = Cells<ClientsTable, typeof columns>;

export type ClientStatements = ReturnType<typeof clientStatements>;

export function clientStatements(db: Queries) {
  const clients = db.selectFrom('clients').select(columns);
  return {
    client: prepared<{ id: string }, ClientRow>((p) => clients.where('id', '=', p('id'))),
    clients: prepared<{ worldId: string }, ClientRow>((p) =>
      clients.where('world_id', '=', p('worldId')).orderBy('ordinal'),
    ),
    insertClient: prepared<RowOf<ClientsTable>>((p) => db.insertInto('clients').values(valuesOf(columns, p))),
    setClientLeft: prepared<{ id: string; leftAt: number | null }>((p) =>
      db
        .updateTable('clients')
        .set({ left_at: p('leftAt') })
        .where('id', '=', p('id')),
    ),
    deleteClient: prepared<{ id: string }>((p) => db.deleteFrom('clients').where('id', '=', p('id'))),
  };
}

type ClientVerbs = Pick<StoreTransaction, 'client' | 'clients' | 'insertClient' | 'setClientLeft' | 'deleteClient'>;

export function clientVerbs(on: Connection, s: ClientStatements): ClientVerbs {
  const client = on.first(s.client, toClient);
  const clients = on.all(s.clients, toClient);
  const insertClient = on.run(s.insertClient);
  const setClientLeft = on.run(s.setClientLeft);
  const deleteClient = on.run(s.deleteClient);

  return {
    client: async (id) => client({ id }),
    clients: async (worldId) => clients({ worldId }),
    async insertClient(record) {
      await insertClient({
        ...record,
        approvals: Number(record.approvals),
        tools: JSON.stringify(record.tools),
      });
    },
    async setClientLeft(id, leftAt) {
      await setClientLeft({ id, leftAt });
    },
    async deleteClient(id) {
      await deleteClient({ id });
    },
  };
}

function toClient([id, worldId, label, secretHash, approvals, tools, leftAt, createdAt]: ClientRow): ClientRecord {
  return {
    id,
    worldId,
    label,
    secretHash,
    approvals: approvals === 1,
    tools: JSON.parse(tools) as unknown[],
    leftAt,
    createdAt,
  };
}
