import type { Migration } from './ddl.js';

/** What every process on a store has to know of what another has let in. Where one process owns the store, nothing is written here. */
export const addPasses: Migration = ({ integer, clustered }) => [
  `alter table clients add column connected_to text not null default ''`,
  `create table passes (id text not null primary key, value text not null, ends_at ${integer} not null) ${clustered}`,
];
