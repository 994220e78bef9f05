import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { CountersignError } from '@countersign/protocol';
import type { Entry } from './entry.js';

/**
 * A write-ahead log of steps since the tables were last committed. Each step becomes durable with one append, and the tables follow in batches,
 * because most of the cost of a step would be committing rows. After a crash, the next process applies the log.
 */
export interface StepLog {
  /** Appends entries. On a full disk it throws and stays unchanged. */
  append(entries: readonly Entry[]): void;
  /** Resolves once the appended entries survive a power loss. Undefined if syncs are off. */
  sync: (() => Promise<void>) | undefined;
  /** The size in bytes since the last `restart`. */
  readonly size: number;
  /** The log's mark and size, which are committed with the tables. */
  readonly end: string;
  /** Removes entries that were never synced. */
  dropUnsynced(): void;
  /** Called after the tables are committed with this mark: the next append overwrites the log. */
  restart(mark: string): void;
  /** Deletes the file if it is empty. */
  close(): void;
}

/** Identifies a commit of the tables. A log applies only to tables that were last committed with its mark, or partway through the log. */
export function newMark(): string {
  return randomBytes(MARK_BYTES).toString('hex');
}

const MARK_BYTES = 8;
/** The mark, the length of the payload, and its checksum. */
const HEADER_BYTES = MARK_BYTES + 8;
/** Preallocated: while a file grows, each sync has to write its size as well. */
const GROWN_BYTES = 1 << 20;

/** The log is next to the real file, like SQLite's own files: every path to the store must find it, and no tool may open it (SAFE1). */
export function logFileOf(file: string): string {
  try {
    return `${realpathSync(file)}-steps`;
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return `${file}-steps`;
    throw fromDisk(cause, file);
  }
}

/** A log in a file, which the first append creates. */
export function fileLog(path: string, marks: string, synchronous: 'FULL' | 'NORMAL'): StepLog {
  let descriptor: number | undefined;
  let [mark = ''] = marks.split(' ');
  let size = 0;
  let synced = 0;
  /** Whether records whose sync failed may remain after the valid ones. */
  let isDirty = false;

  function open(): number {
    // Remove anything at this path first: it could be a link.
    removeLog(path);
    const made = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      if (synchronous === 'FULL') grow(made, path);
    } catch (cause) {
      closeSync(made);
      throw cause;
    }
    return made;
  }
  function clean(opened: number): void {
    if (isDirty) ftruncateSync(opened, size);
    isDirty = false;
  }
  function sync(): Promise<void> {
    const upTo = size;
    return new Promise((resolve, reject) => {
      if (descriptor === undefined) {
        resolve();
        return;
      }
      fdatasync(descriptor, (cause) => {
        if (cause !== null) {
          reject(fromDisk(cause, path));
          return;
        }
        synced = upTo;
        resolve();
      });
    });
  }

  return {
    append(entries) {
      const record = toRecord(mark, entries);
      try {
        descriptor ??= open();
        clean(descriptor);
        for (let at = 0; at < record.length;) at += writeSync(descriptor, record, at, record.length - at, size + at);
      } catch (cause) {
        throw fromDisk(cause, path);
      }
      size += record.length;
    },
    sync: synchronous === 'FULL' ? sync : undefined,
    get size() {
      return size;
    },
    get end() {
      return isDirty ? '' : `${mark} ${size}`;
    },
    dropUnsynced() {
      size = synced;
      isDirty = true;
      try {
        if (descriptor !== undefined) clean(descriptor);
      } catch {
        // The next append retries.
      }
    },
    restart(next) {
      mark = next;
      size = 0;
      synced = 0;
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
      if (size === 0) removeLog(path);
    },
  };
}

/** For a store in memory. */
export function memoryLog(): StepLog {
  let size = 0;
  return {
    append() {
      size += 1;
    },
    sync: undefined,
    get size() {
      return size;
    },
    end: '',
    dropUnsynced: () => undefined,
    restart() {
      size = 0;
    },
    close: () => undefined,
  };
}

/**
 * The log entries that are missing from tables committed with these marks. If a commit succeeded despite a reported error, the log
 * continued from before that commit, and later entries still apply.
 */
export function readLog(path: string, marks: string | undefined): Entry[] {
  if (marks === undefined) return [];
  const bytes = readIfThere(path);
  const [mark = '', before = '', size = '0'] = marks.split(' ');
  const entries = readRecords(bytes, mark, 0);
  return entries.length > 0 ? entries : readRecords(bytes, before, Number(size));
}

/** Reads up to the first incomplete record. */
function readRecords(bytes: Buffer, mark: string, from: number): Entry[] {
  const expected = Buffer.from(mark, 'hex');
  const entries: Entry[] = [];
  for (let at = from; at + HEADER_BYTES <= bytes.length;) {
    const body = at + HEADER_BYTES;
    const end = body + bytes.readUInt32LE(at + MARK_BYTES);
    const isOurs = end <= bytes.length && expected.equals(bytes.subarray(at, at + MARK_BYTES));
    if (!isOurs || crc32(bytes.subarray(body, end)) !== bytes.readUInt32LE(at + MARK_BYTES + 4)) break;
    entries.push(...(JSON.parse(bytes.toString('utf8', body, end)) as Entry[]));
    at = end;
  }
  return entries;
}

/** Must be called before anything is opened: an unreadable log could not be applied. */
export function assertReadable(path: string): void {
  try {
    closeSync(openSync(path, 'r+'));
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw fromDisk(cause, path);
  }
}

/** Must be called after the tables were committed with all log entries. */
export function removeLog(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (cause) {
    throw fromDisk(cause, path);
  }
}

/** A shared buffer for building records, one after another; a long record gets its own. */
const shared = Buffer.allocUnsafeSlow(1 << 16);

function toRecord(mark: string, entries: readonly Entry[]): Buffer {
  const text = JSON.stringify(entries);
  // A UTF-16 code unit takes at most three bytes, so most records don't have to be measured first.
  const fits = HEADER_BYTES + text.length * 3 <= shared.length;
  const memory = fits ? shared : Buffer.allocUnsafe(HEADER_BYTES + Buffer.byteLength(text));
  const record = memory.subarray(0, HEADER_BYTES + memory.write(text, HEADER_BYTES));
  record.write(mark, 'hex');
  record.writeUInt32LE(record.length - HEADER_BYTES, MARK_BYTES);
  record.writeUInt32LE(crc32(record.subarray(HEADER_BYTES)), MARK_BYTES + 4);
  return record;
}

/** Also syncs the folder, so that the file survives a power loss. */
function grow(descriptor: number, path: string): void {
  writeSync(descriptor, Buffer.alloc(GROWN_BYTES), 0, GROWN_BYTES, 0);
  fsyncSync(descriptor);
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return Buffer.alloc(0);
    throw fromDisk(cause, path);
  }
}

function fromDisk(cause: unknown, path: string): CountersignError {
  const detail =
    codeOf(cause) === 'ENOSPC' || codeOf(cause) === 'EDQUOT'
      ? `The disk is full: ${path} can't be written. Free some space and try again.`
      : `${path} can't be read or written. Check the disk and the permissions.`;
  return new CountersignError('store-unavailable', detail, { cause });
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}
