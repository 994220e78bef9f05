export { openSqlite } from './sqlite/open-sqlite.js';
export type { SqliteOptions } from './sqlite/open-sqlite.js';
