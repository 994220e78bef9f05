import { sql } from 'kysely';
import { clientColumns } from '../columns.js';
import { prepared, valuesOf, type Cells, type Queries, type RowOf } from './prepared.js';
import type { ClientsTable } from '../schema.js';

export type ClientRow = Cells<ClientsTable, typeof clientColumns>;

export type ClientStatements = ReturnType<typeof clientStatements>;

export function clientStatements(db: Queries) {
  const clients = db.selectFrom('clients').select(clientColumns);
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
    insertClient: prepared<RowOf<ClientsTable>>((p) => db.insertInto('clients').values(valuesOf(clientColumns, p))),
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
