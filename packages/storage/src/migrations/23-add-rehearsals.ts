import type { Migration } from './ddl.js';

/** What a call will do, as shown with its approval. */
export const addRehearsals: Migration = () => ['alter table approvals add column rehearsal text'];
