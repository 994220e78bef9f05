import type { Migration } from './ddl.js';

/** Steps check the state they change, not a number. A process of an older version that shares the database fails instead of relying on it. */
export const dropTurnRevisions: Migration = () => ['alter table turns drop column rev'];
