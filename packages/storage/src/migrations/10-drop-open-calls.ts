import type { Migration } from './ddl.js';

/**
 * What is left to do in a turn is known from its state, not from an index. From this version on a SQLite store has a log of steps beside it, which
 * an older program would not look at.
 */
export const dropOpenCalls: Migration = () => ['drop index invocations_open'];
