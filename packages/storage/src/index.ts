export { copyStore, inspectPostgres, openPostgres } from './load-postgres.js';
export type { CopyProgress, CopyReport, StorePlace } from './copy/copy-store.js';
export type { PostgresOptions } from './postgres/open.js';
export { lockFile } from './sqlite/file/lock-file.js';
export { inspectSqlite } from './sqlite/inspect.js';
export type { StoreInspection } from './sqlite/inspect.js';
export { openSqlite } from './sqlite/open.js';
export type { SqliteOptions } from './sqlite/open.js';
