import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { CountersignError } from '@countersign/protocol';
import { checkVersion, migrations, migrationsAfter, newestVersion } from '../../migrations/index.js';
import { APPLICATION_ID } from './check-file.js';
import { fromSqlite, primaryCode } from '../errors.js';
import { locked } from './own-file.js';
import { sqliteStatements } from '../statements.js';
import { logFileOf, newMark, readLog, assertReadable, removeLog } from '../log/step-log.js';
import { entryFolder } from '../log/fold.js';
import { readMark, SET_MARK } from '../log/mark.js';

/** Opens, locks and migrates a database, and applies the entries that its last process left in the log. */
export function openDatabase(path: string, synchronous: 'FULL' | 'NORMAL', steps = migrations): DatabaseSyncInstance {
  const log = path === ':memory:' ? undefined : logFileOf(path);
  if (log !== undefined) assertReadable(log);
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false, timeout: 0 });
  try {
    // Must precede the first read: a store has one owner, and SQLite is faster without shared memory.
    db.exec('pragma locking_mode = exclusive');
    identify(db, path);
    db.exec('pragma journal_mode = wal');
    // Take the lock now; otherwise, the first step would detect the conflict.
    db.exec('begin immediate; commit');
    db.exec(`pragma synchronous = ${synchronous}`);
    db.exec('pragma cache_size = -32768');
    db.exec('pragma temp_store = memory');
    // Checkpoints wait for the disk and rewrite the same busy pages: with SQLite's default of 1,000, they took half of each step's time.
    db.exec('pragma wal_autocheckpoint = 4000');
    db.exec('pragma journal_size_limit = 67108864');
    migrate(db, path, steps);
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
 * Closes a database and releases its lock. The binding keeps connections with statements open until garbage collection, so first switch out of
 * WAL mode, which merges the WAL into the file and allows the lock to be released.
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

/** Sets the application id of a new file before it switches to WAL mode: in the WAL, other tools would not see it. */
function identify(db: DatabaseSyncInstance, path: string): void {
  const id = pragma(db, 'application_id');
  if (id === APPLICATION_ID) return;
  if (id !== 0 || db.prepare('select 1 from sqlite_schema limit 1').get() !== undefined) {
    throw new CountersignError('store-foreign', `${path} is another program's database. Choose another file.`);
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
      const detail = `The step log ${log} doesn't match this store. Move that file away to open the store without its last steps.`;
      throw new CountersignError('store-unavailable', detail, { cause });
    }
    db.prepare(SET_MARK).run(newMark());
    db.exec('commit');
  }
  removeLog(log);
}

const SQLITE_CONSTRAINT = 19;

const ddl = {
  integer: 'integer',
  ordinal: 'integer primary key',
  plain: 'strict',
  clustered: 'strict, without rowid',
  searchWords: [
    // We split words ourselves, in the same way for every database; `ascii` leaves them unchanged. Positions are not stored.
    `create virtual table search_words using fts5
      (words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')`,
  ],
};

/** Migrates in order, one transaction per migration, so that completed ones are kept (STORE5). */
function migrate(db: DatabaseSyncInstance, path: string, steps: typeof migrations): void {
  const version = pragma(db, 'user_version');
  checkVersion(path, version, newestVersion(steps));
  const left = migrationsAfter(version, steps);
  if (left.length === 0) return;
  for (const { to, migration } of left) inTransaction(db, migration(ddl), to);
  // Write the version to the main file, which older programs check before opening.
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
