import type { Migration } from './ddl.js';

/**
 * The state of a turn shows its open calls, so the index is unused. From this version on, SQLite stores have a step log, which
 * older versions would ignore.
 */
export const dropOpenCalls: Migration = () => ['drop index invocations_open'];
