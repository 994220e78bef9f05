import type { ProviderRecord, StoreTransaction } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import type { Connection } from '../connection.js';
import type { ProviderRow, ProviderStatements } from '../queries/providers.js';

type ProviderVerbs = Pick<StoreTransaction, 'providers' | 'insertProvider' | 'updateProvider' | 'deleteProvider'>;

export function providerVerbs(on: Connection, s: ProviderStatements): ProviderVerbs {
  const providers = on.all(s.providers, toProvider);
  const byName = on.first(s.providerByName, ([id]) => id);
  const insertProvider = on.run(s.insertProvider);
  const updateProvider = on.run(s.updateProvider);
  const deleteProvider = on.run(s.deleteProvider);

  return {
    providers: async () => providers({}),
    async insertProvider(record) {
      if ((await insertProvider({ ...record, nameKey: keyOf(record.name) })) === 0) throw taken(record.name);
    },
    async updateProvider(record) {
      const nameKey = keyOf(record.name);
      // Check first: a violated constraint would abort the transaction without naming the field.
      const holder = await byName({ nameKey });
      if (holder !== undefined && holder !== record.id) throw taken(record.name);
      const { id, rev, kind, name, baseUrl, apiKey } = record;
      return (await updateProvider({ id, rev, kind, name, nameKey, baseUrl, apiKey })) === 1;
    },
    deleteProvider: async (id) => (await deleteProvider({ id })) === 1,
  };
}

function keyOf(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

function taken(name: string): CountersignError {
  return new CountersignError('conflict', `name: there is already a provider "${name}"`, { field: 'name' });
}

function toProvider([id, kind, name, , baseUrl, apiKey, rev, createdAt]: ProviderRow): ProviderRecord {
  return { id, kind, name, baseUrl, apiKey, rev, createdAt };
}
