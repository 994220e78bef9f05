import { providers, type Cells } from '../schema.js';
import { insertInto, prepared } from './prepared.js';

export type ProviderRow = Cells<typeof providers>;

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
  providers: prepared<object, ProviderRow>(`select ${providers.names.join(', ')} from providers order by ordinal`),
  providerByName: prepared<{ nameKey: string }, [id: string]>('select id from providers where name_key = :nameKey'),
  insertProvider: insertInto(providers, ' on conflict do nothing'),
  updateProvider: prepared<Changed>(
    'update providers set kind = :kind, name = :name, name_key = :nameKey, base_url = :baseUrl, api_key = :apiKey, rev = rev + 1 where id = :id and rev = :rev',
  ),
  deleteProvider: prepared<{ id: string }>('delete from providers where id = :id'),
};
