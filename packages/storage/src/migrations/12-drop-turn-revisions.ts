import type { Migration } from './ddl.js';

/**
 * Steps now check the state they change instead of a revision. Processes that run an older version fail on purpose: they would still rely on the revision.
 */
export const dropTurnRevisions: Migration = () => ['alter table turns drop column rev'];
