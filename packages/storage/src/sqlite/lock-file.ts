import { realpathSync } from 'node:fs';
import { keepOwnFile } from '@countersign/core/ports';
import { DatabaseSync } from '@photostructure/sqlite';
import { fromSqlite, primaryCode } from './errors.js';

const BUSY = 5;

/**
 * Takes a file for this process alone, until the returned function is called or the process ends, however it ends: the lock is the
 * system's, so a dead owner leaves nothing behind that somebody would have to judge. Undefined: another process has it.
 */
export function lockFile(path: string): (() => void) | undefined {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    // An open transaction, with nothing in it, is the lock.
    db.exec('begin exclusive');
  } catch (cause) {
    db.close();
    if (primaryCode(cause) === BUSY) return undefined;
    throw fromSqlite(cause, path);
  }
  // On POSIX, a tool that opened and closed it in this process would drop the lock.
  const giveBack = keepOwnFile(realpathSync(path));
  return () => {
    giveBack();
    db.exec('rollback');
    db.close();
  };
}
