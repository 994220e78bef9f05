import type { Migration } from './ddl.js';

/** Which rules say who must sign a call, and who has signed it, as JSON. An older program would let anyone approve such a call. */
export const addSignatures: Migration = () => ['alter table approvals add column signing text'];
