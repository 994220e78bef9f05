import type { Migration } from './ddl.js';

/** Who sent a message, and whose message led to a turn, as JSON. Null in existing rows. */
export const addWho: Migration = () => [
  'alter table messages add column who text',
  'alter table turns add column requester text',
];
