import type { Migration } from './ddl.js';

/** Sessions, tickets and client connections, shared by all processes that use a store. Unused if one process owns the store. */
export const addPasses: Migration = ({ integer, clustered }) => [
  `alter table clients add column connected_to text not null default ''`,
  `create table passes (id text not null primary key, value text not null, ends_at ${integer} not null) ${clustered}`,
];
