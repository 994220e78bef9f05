import type { Migration } from './ddl.js';

/** Without this index, finding the first page of the queue, or a position in it, requires a scan of all pending approvals. */
export const addQueueOrder: Migration = () => [
  `create index approvals_in_order on approvals (world_id, ordinal) where status = 'pending'`,
];
