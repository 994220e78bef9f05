import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { CountersignError } from '@countersign/protocol';
import { newestVersion } from '../migrations/index.js';
import { checkFile } from './file/check-file.js';
import { fromSqlite } from './errors.js';
import { logFileOf } from './log/step-log.js';

/** The result of inspecting a store. */
export interface StoreInspection {
  /** The store's schema version; 0 if it is empty. */
  readonly version: number;
  /** The newest schema version that this program supports. */
  readonly newest: number;
  /** The process that has the store open, if known. */
  readonly owner?: number;
  /** The number of chats with a runnable turn that no live process is running. Unknown if a killed process's last writes can't be read. */
  readonly stalledChats: number | 'unknown';
}

/** Integrity checks of larger files would take too long. */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;

/**
 * Inspects a store file without migrating, locking or creating anything. Throws the same errors as `openSqlite`. Not for a file that this
 * process has open.
 */
export function inspectSqlite(path: string): StoreInspection {
  const file = resolve(path);
  const newest = newestVersion();
  const stats = checkFile(file);
  if (stats === undefined || stats.size === 0) return { version: 0, newest, stalledChats: 0 };
  const address = pathToFileURL(file);
  address.search = '?immutable=1';
  // A leftover WAL or step log is not read, so the file may be incomplete and only its version is certain.
  const isLeft = existsSync(`${file}-wal`) || existsSync(logFileOf(file));
  const isWhole = !existsSync(`${file}-wal`) && stats.size <= MAX_CHECKED_BYTES;
  try {
    const db = new DatabaseSync(address, { readOnly: true });
    try {
      const { user_version: version = 0 } = db.prepare('pragma user_version').get() as { user_version?: number };
      if (isWhole) refuseDamaged(file, db.prepare('pragma quick_check(1)').get());
      const owner = ownerOf(file);
      if (owner !== undefined) return { version, newest, owner, stalledChats: 0 };
      return { version, newest, stalledChats: isLeft ? 'unknown' : countStalled(db) };
    } finally {
      db.close();
    }
  } catch (cause) {
    throw fromSqlite(cause, file);
  }
}

function countStalled(db: InstanceType<typeof DatabaseSync>): number {
  const { stalled } = db.prepare(`select count(distinct chat_id) as stalled from turns where state = 'open'`).get() as {
    stalled: number;
  };
  return stalled;
}

function refuseDamaged(file: string, verdict: unknown): void {
  const said = Object.values(verdict ?? {}).join(' ');
  if (said === 'ok') return;
  throw new CountersignError('store-unavailable', `${file} is damaged. Restore it from a backup.`, { cause: said });
}

function ownerOf(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(`${file}.owner`, 'utf8'));
    process.kill(pid, 0);
    return pid;
  } catch {
    // The owner file is missing, or its process has ended.
    return undefined;
  }
}
