import type { Migration } from './ddl.js';

/** The first page of a person's queue, and a place in it, would be picked out of everything that waits. */
export const addQueueOrder: Migration = () => [
  `create index approvals_in_order on approvals (world_id, ordinal) where status = 'pending'`,
];
