import type { ClientRecord, StoreTransaction } from '@countersign/core/ports';
import type { Connection } from '../connection.js';
import { aliased, prepared, valuesOf, type Queries, type RowOf } from '../prepared.js';
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

export type ClientStatements = ReturnType<typeof clientStatements>;

export function clientStatements(db: Queries) {
  const clients = db.selectFrom('clients').select(aliased(columns));
  return {
    client: prepared<{ id: string }>()((p) => clients.where('id', '=', p('id'))),
    clients: prepared<{ worldId: string }>()((p) => clients.where('world_id', '=', p('worldId')).orderBy('ordinal')),
    insertClient: prepared<RowOf<ClientsTable>>()((p) => db.insertInto('clients').values(valuesOf(columns, p))),
    setClientLeft: prepared<{ id: string; leftAt: number | null }>()((p) =>
      db
        .updateTable('clients')
        .set({ left_at: p('leftAt') })
        .where('id', '=', p('id')),
    ),
    deleteClient: prepared<{ id: string }>()((p) => db.deleteFrom('clients').where('id', '=', p('id'))),
  };
}

type ClientVerbs = Pick<StoreTransaction, 'client' | 'clients' | 'insertClient' | 'setClientLeft' | 'deleteClient'>;

export function clientVerbs(on: Connection, s: ClientStatements): ClientVerbs {
  const client = on.first(s.client);
  const clients = on.all(s.clients);
  const insertClient = on.run(s.insertClient);
  const setClientLeft = on.run(s.setClientLeft);
  const deleteClient = on.run(s.deleteClient);

  return {
    async client(id) {
      const row = await client({ id });
      return row && toClient(row);
    },
    clients: async (worldId) => (await clients({ worldId })).map(toClient),
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

function toClient(row: RowOf<ClientsTable>): ClientRecord {
  return { ...row, approvals: row.approvals === 1, tools: JSON.parse(row.tools) as unknown[] };
}
