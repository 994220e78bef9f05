import type { Migration } from './ddl.js';

/** Live processes that share a store. Empty if one process owns it. */
export const addProcesses: Migration = ({ integer, clustered }) => [
  `create table processes (id text not null primary key, beat_at ${integer} not null) ${clustered}`,
];
