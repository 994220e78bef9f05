import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { CountersignError } from '@countersign/protocol';
import { migrations } from '../migrations/index.js';
import { APPLICATION_ID, newerVersion } from './check-file.js';
import { fromSqlite, primaryCode } from './errors.js';
import { ddl, newestSchema } from './newest-schema.js';
import { locked } from './own-file.js';
import { sqliteStatements } from './statements.js';
import { logFileOf, newMark, readLog, refuseUnreadable, removeLog } from './step-log.js';
import { entryFolder } from './fold.js';
import { readMark, SET_MARK } from './mark.js';

/** Opens and locks a database, brings it to the newest schema, and completes it with what its last process left in its log. */
export function openDatabase(path: string, synchronous: 'FULL' | 'NORMAL'): DatabaseSyncInstance {
  const log = path === ':memory:' ? undefined : logFileOf(path);
  if (log !== undefined) refuseUnreadable(log);
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false, timeout: 0 });
  try {
    // Before the first read: a store has one owner, and without shared memory SQLite is faster too.
    db.exec('pragma locking_mode = exclusive');
    identify(db, path);
    db.exec('pragma journal_mode = wal');
    // Takes the lock now: later, the first step would find out.
    db.exec('begin immediate; commit');
    db.exec(`pragma synchronous = ${synchronous}`);
    db.exec('pragma cache_size = -32768');
    db.exec('pragma temp_store = memory');
    // Each checkpoint waits for the disk and writes the same few busy pages again: with SQLite's 1,000 it was half the cost of a step.
    db.exec('pragma wal_autocheckpoint = 4000');
    db.exec('pragma journal_size_limit = 67108864');
    migrate(db, path);
    if (log !== undefined) foldLog(db, log);
    return db;
  } catch (cause) {
    if (primaryCode(cause) === 5) {
      db.close();
      throw locked(path, cause);
    }
    closeDatabase(db, path);
    throw fromSqlite(cause, path);
  }
}

/**
 * Closes a database and lets go of its file. The binding keeps a connection with statements alive until they are collected, lock and
 * all; so the file is left in one piece and unlocked first, or nobody could open it for an unknown time. The lock can only be given
 * up outside WAL.
 */
export function closeDatabase(db: DatabaseSyncInstance, path: string): void {
  try {
    if (db.isTransaction) db.exec('rollback');
    db.exec('pragma journal_mode = delete');
    db.exec('pragma locking_mode = normal');
    // The new mode takes effect with the next access.
    db.exec('select 1 from sqlite_schema limit 1');
  } catch (cause) {
    throw fromSqlite(cause, path);
  } finally {
    db.close();
  }
}

/** Marks a new file as ours, before it is switched to WAL: in the WAL the mark would not be seen by who looks at the file alone. */
function identify(db: DatabaseSyncInstance, path: string): void {
  const id = pragma(db, 'application_id');
  if (id === APPLICATION_ID) return;
  if (id !== 0 || db.prepare('select 1 from sqlite_schema limit 1').get() !== undefined) {
    throw new CountersignError('store-foreign', `${path} is a database of another program: choose another file.`);
  }
  db.exec('pragma auto_vacuum = none');
  db.exec(`pragma application_id = ${APPLICATION_ID}`);
}

function foldLog(db: DatabaseSyncInstance, log: string): void {
  const entries = readLog(log, readMark(db));
  if (entries.length > 0) {
    db.exec('begin immediate');
    try {
      entryFolder(db, sqliteStatements)(entries);
    } catch (cause) {
      if (primaryCode(cause) !== SQLITE_CONSTRAINT) throw cause;
      const detail = `The last steps of this store, in ${log}, don't fit it. Move that file away to open the store without them.`;
      throw new CountersignError('store-unavailable', detail, { cause });
    }
    db.prepare(SET_MARK).run(newMark());
    db.exec('commit');
  }
  removeLog(log);
}

const SQLITE_CONSTRAINT = 19;

/** Migrates in order, each migration in a transaction of its own: a version that was reached is kept (S5). A new store gets the newest schema. */
function migrate(db: DatabaseSyncInstance, path: string): void {
  const version = pragma(db, 'user_version');
  if (version > migrations.length) throw newerVersion(path, version, migrations.length);
  if (version === migrations.length) return;
  if (version === 0) inTransaction(db, newestSchema(), migrations.length);
  else
    for (const [index, migration] of migrations.slice(version).entries())
      inTransaction(db, migration(ddl), version + index + 1);
  // Into the file itself, where an older program looks before it opens it.
  db.exec('pragma wal_checkpoint(truncate)');
}

function inTransaction(db: DatabaseSyncInstance, statements: readonly string[], version: number): void {
  db.exec('begin immediate');
  for (const statement of statements) db.exec(statement);
  db.exec(`pragma user_version = ${version}`);
  db.exec('commit');
}

function pragma(db: DatabaseSyncInstance, name: 'application_id' | 'user_version'): number {
  const row = db.prepare(`pragma ${name}`).get() as Record<string, number>;
  return row[name] ?? 0;
}
