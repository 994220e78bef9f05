export { copyStore, inspectPostgres, openPostgres } from './load-postgres.js';
export type { CopyProgress, CopyReport, StorePlace } from './copy/copy-store.js';
export type { PostgresOptions } from './postgres/open-postgres.js';
export { lockFile } from './sqlite/lock-file.js';
export { inspectSqlite } from './sqlite/inspect-sqlite.js';
export type { StoreInspection } from './sqlite/inspect-sqlite.js';
export { openSqlite } from './sqlite/open-sqlite.js';
export type { SqliteOptions } from './sqlite/open-sqlite.js';
