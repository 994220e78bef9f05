import type { ClientRecord, StoreTransaction } from '@countersign/core/ports';
import { sql } from 'kysely';
import type { Connection } from '../connection.js';
import { prepared, valuesOf, type Cells, type Queries, type RowOf } from '../prepared.js';
import type { ClientsTable } from '../schema.js';
import type { Session } from '../session.js';

const columns = [
  'id',
  'world_id',
  'label',
  'secret_hash',
  'approvals',
  'tools',
  'left_at',
  'connected_to',
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
    asker: prepared<{ worldId: string }, [id: string]>((p) =>
      db
        .selectFrom('clients')
        .select('id')
        .where('world_id', '=', p('worldId'))
        .where(sql<boolean>`approvals = 1`)
        .where('left_at', 'is', null)
        .limit(sql.lit(1)),
    ),
    insertClient: prepared<RowOf<ClientsTable>>((p) => db.insertInto('clients').values(valuesOf(columns, p))),
    allClients: prepared<object, ClientRow>(() => clients.orderBy('ordinal')),
    setClientConnected: prepared<{ id: string; process: string }>((p) =>
      db
        .updateTable('clients')
        .set({ left_at: sql`null`, connected_to: p('process') })
        .where('id', '=', p('id')),
    ),
    setClientCut: prepared<{ id: string; process: string; leftAt: number }>((p) =>
      db
        .updateTable('clients')
        .set({ left_at: p('leftAt'), connected_to: sql`''` })
        .where('id', '=', p('id'))
        .where('connected_to', '=', p('process'))
        .where('left_at', 'is', null),
    ),
    deleteClient: prepared<{ id: string }>((p) => db.deleteFrom('clients').where('id', '=', p('id'))),
  };
}

type ClientVerbs = Pick<
  StoreTransaction,
  | 'client'
  | 'clients'
  | 'hasAsker'
  | 'allClients'
  | 'insertClient'
  | 'setClientConnected'
  | 'setClientCut'
  | 'deleteClient'
>;

export function clientVerbs(on: Connection, s: ClientStatements, session: Session): ClientVerbs {
  const client = on.first(s.client, toClient);
  const clients = on.all(s.clients, toClient);
  const asker = on.first(s.asker, ([id]) => id);
  const insertClient = on.run(s.insertClient);
  const allClients = on.all(s.allClients, toClient);
  const setClientConnected = on.run(s.setClientConnected);
  const setClientCut = on.run(s.setClientCut);
  const deleteClient = on.run(s.deleteClient);

  return {
    client: async (id) => client({ id }),
    clients: async (worldId) => clients({ worldId }),
    hasAsker: async (worldId) => (await asker({ worldId })) !== undefined,
    allClients: async () => allClients({}),
    async insertClient(record) {
      await insertClient({
        ...record,
        approvals: Number(record.approvals),
        tools: JSON.stringify(record.tools),
      });
    },
    async setClientConnected(id, process) {
      await setClientConnected({ id, process });
    },
    setClientCut: async (id, process) => (await setClientCut({ id, process, leftAt: session.now })) > 0,
    deleteClient: async (id) => (await deleteClient({ id })) > 0,
  };
}

function toClient([
  id,
  worldId,
  label,
  secretHash,
  approvals,
  tools,
  leftAt,
  connectedTo,
  createdAt,
]: ClientRow): ClientRecord {
  return {
    id,
    worldId,
    label,
    secretHash,
    approvals: approvals === 1,
    tools: JSON.parse(tools) as unknown[],
    leftAt,
    connectedTo,
    createdAt,
  };
}
