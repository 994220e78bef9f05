import type { Migration } from './ddl.js';

/** Who lives, among the processes that share a store. Empty where one process owns it. */
export const addProcesses: Migration = ({ integer, clustered }) => [
  `create table processes (id text not null primary key, beat_at ${integer} not null) ${clustered}`,
];
