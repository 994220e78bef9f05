import type { Migration } from './ddl.js';

/** Without it, the first page of the queue, and a position in it, need a scan of all pending approvals. */
export const addQueueOrder: Migration = () => [
  `create index approvals_in_order on approvals (world_id, ordinal) where status = 'pending'`,
];
