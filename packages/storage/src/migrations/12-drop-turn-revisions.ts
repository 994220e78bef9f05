import type { Migration } from './ddl.js';

/** Steps check the state they change instead of a revision. Older processes on the same database fail instead of relying on it. */
export const dropTurnRevisions: Migration = () => ['alter table turns drop column rev'];
