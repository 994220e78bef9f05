import type { Migration } from './ddl.js';

/** Questions that people answer in words stand in the same queue as calls they sign. */
export const addQuestions: Migration = () => ['alter table approvals add column question text'];
