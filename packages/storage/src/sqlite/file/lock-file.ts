import { realpathSync } from 'node:fs';
import { registerOwnFile } from '@countersign/core/ports';
import { DatabaseSync } from '@photostructure/sqlite';
import { fromSqlite, primaryCode } from '../errors.js';

const BUSY = 5;

/**
 * Locks a file until the returned function is called or the process ends. Uses an operating system lock, so a dead owner leaves no stale lock.
 * Undefined if another process holds it.
 */
export function lockFile(path: string): (() => void) | undefined {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    // The open, empty transaction is the lock.
    db.exec('begin exclusive');
  } catch (cause) {
    db.close();
    if (primaryCode(cause) === BUSY) return undefined;
    throw fromSqlite(cause, path);
  }
  // On POSIX, opening and closing the file elsewhere in this process would drop the lock.
  const release = registerOwnFile(realpathSync(path));
  return () => {
    release();
    db.exec('rollback');
    db.close();
  };
}
