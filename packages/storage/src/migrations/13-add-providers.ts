import type { Migration } from './ddl.js';

/** The server's model providers. `api_key` is encrypted with a key that is not in the store. */
export const addProviders: Migration = ({ integer, ordinal, plain }) => [
  `create table providers (
    ordinal ${ordinal},
    id text not null unique,
    kind text not null,
    name text not null,
    name_key text not null unique,
    base_url text,
    api_key text,
    rev ${integer} not null,
    created_at ${integer} not null
  ) ${plain}`,
];
