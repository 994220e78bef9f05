import type { ProvidersTable } from '../schema.js';
import { insertInto, prepared, type Cells } from './prepared.js';

const columns = [
  'id',
  'kind',
  'name',
  'name_key',
  'base_url',
  'api_key',
  'rev',
  'created_at',
] as const satisfies readonly (keyof ProvidersTable)[];
export type ProviderRow = Cells<ProvidersTable, typeof columns>;

export type ProviderStatements = typeof providerStatements;

type Changed = {
  id: string;
  rev: number;
  kind: string;
  name: string;
  nameKey: string;
  baseUrl: string | null;
  apiKey: string | null;
};

export const providerStatements = {
  providers: prepared<object, ProviderRow>(`select ${columns.join(', ')} from providers order by ordinal`),
  providerByName: prepared<{ nameKey: string }, [id: string]>('select id from providers where name_key = :nameKey'),
  insertProvider: insertInto<ProvidersTable>('providers', columns, ' on conflict do nothing'),
  updateProvider: prepared<Changed>(
    'update providers set kind = :kind, name = :name, name_key = :nameKey, base_url = :baseUrl, api_key = :apiKey, rev = rev + 1 where id = :id and rev = :rev',
  ),
  deleteProvider: prepared<{ id: string }>('delete from providers where id = :id'),
};
