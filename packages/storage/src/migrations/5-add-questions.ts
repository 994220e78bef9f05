import type { Migration } from './ddl.js';

/** Questions share the queue with approvals. */
export const addQuestions: Migration = () => ['alter table approvals add column question text'];
