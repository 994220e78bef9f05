import type { Migration } from './ddl.js';

/**
 * Steps now check the state they change instead of a revision. Older processes on the same database fail, because they would still rely on it.
 */
export const dropTurnRevisions: Migration = () => ['alter table turns drop column rev'];
