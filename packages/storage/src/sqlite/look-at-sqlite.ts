import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { CountersignError } from '@countersign/protocol';
import { migrations } from '../migrations/index.js';
import { checkFile } from './check-file.js';
import { fromSqlite } from './errors.js';
import { logFileOf } from './step-log.js';

/** What a store says of itself to somebody who only looks. */
export interface SeenStore {
  /** How far its schema has come. 0: nothing is in it yet. */
  readonly version: number;
  /** How far this program would bring it. */
  readonly newest: number;
  /** The process that has it open, where that is known. */
  readonly owner?: number;
  /** Chats with a turn that could go on and that no living process runs. Unknown where what a killed process wrote last can't be read. */
  readonly stalledChats: number | 'unknown';
}

/** A larger one takes too long to be read through by somebody who only asks how things are. */
const MOST_CHECKED = 64 * 1024 * 1024;

/**
 * Looks at the file of a store: opens it as if it could not be changed, so that nothing is brought forward, locked or made beside it.
 * Refuses in words what `openSqlite` would refuse. Not for a file that this process has open.
 */
export function lookAtSqlite(path: string): SeenStore {
  const file = resolve(path);
  const newest = migrations.length;
  const stats = checkFile(file, newest);
  if (stats === undefined || stats.size === 0) return { version: 0, newest, stalledChats: 0 };
  const address = pathToFileURL(file);
  address.search = '?immutable=1';
  // What is beside it is not read: then it may be half of something, and only its version can be told.
  const isLeft = existsSync(`${file}-wal`) || existsSync(logFileOf(file));
  const isWhole = !existsSync(`${file}-wal`) && stats.size <= MOST_CHECKED;
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
    // Nobody has left a note, or who left it has gone.
    return undefined;
  }
}
