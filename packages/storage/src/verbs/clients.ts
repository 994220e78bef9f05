import type { ClientRecord, StoreTransaction } from '@countersign/core/ports';
import type { Connection } from '../connection.js';
import type { TransactionState } from '../transaction-state.js';
import type { ClientRow, ClientStatements } from '../queries/clients.js';

type ClientVerbs = Pick<
  StoreTransaction,
  'client' | 'clients' | 'allClients' | 'insertClient' | 'setClientConnected' | 'setClientCut' | 'deleteClient'
>;

export function clientVerbs(on: Connection, s: ClientStatements, state: TransactionState): ClientVerbs {
  const client = on.first(s.client, toClient);
  const clients = on.all(s.clients, toClient);
  const insertClient = on.run(s.insertClient);
  const allClients = on.all(s.allClients, toClient);
  const setClientConnected = on.run(s.setClientConnected);
  const setClientCut = on.run(s.setClientCut);
  const deleteClient = on.run(s.deleteClient);

  return {
    client: async (id) => client({ id }),
    clients: async (worldId) => clients({ worldId }),
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
    setClientCut: async (id, process) => (await setClientCut({ id, process, leftAt: state.now })) > 0,
    deleteClient: async (id) => (await deleteClient({ id })) > 0,
  };
}

export function toClient([
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
