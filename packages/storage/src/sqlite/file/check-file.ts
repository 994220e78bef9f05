import { accessSync, closeSync, constants, openSync, readSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { CountersignError } from '@countersign/protocol';
import { checkVersion } from '../../migrations/index.js';

/** "CoSi": identifies our database files. */
export const APPLICATION_ID = 0x436f5369;

const MAGIC = 'SQLite format 3\0';
const HEADER_LENGTH = 100;

/**
 * Checks a file before SQLite opens and thereby modifies it. Throws if we must not write to it, and leaves it unchanged. Undefined if it
 * doesn't exist.
 */
export function checkFile(file: string): Stats | undefined {
  const folder = dirname(file);
  const folderStats = statOf(folder);
  if (folderStats === undefined || !folderStats.isDirectory()) {
    throw new CountersignError('not-found', `The folder ${folder} does not exist. Create it, or choose another one.`);
  }
  const stats = statOf(file);
  if (stats !== undefined && !stats.isFile()) {
    const what = stats.isDirectory() ? 'a folder' : 'not a regular file';
    throw new CountersignError('invalid', `${file} is ${what}. Choose a file for the store.`);
  }
  if (stats !== undefined) {
    refuseReadonly(file, stats);
    checkHeader(file, stats);
  }
  // SQLite will create a second file next to it.
  refuseReadonly(folder, folderStats);
  return stats;
}

function checkHeader(file: string, stats: Stats): void {
  if (stats.size === 0) return;
  const header = readHeader(file);
  if (header.length < HEADER_LENGTH || header.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new CountersignError(
      'store-foreign',
      `${file} is not a Countersign store. It was not changed. Choose another file.`,
    );
  }
  if (header.readUInt32BE(68) !== APPLICATION_ID) {
    throw new CountersignError(
      'store-foreign',
      `${file} is another program's database. It was not changed. Choose another file.`,
    );
  }
  checkVersion(file, header.readUInt32BE(60));
}

function readHeader(file: string): Buffer {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (cause) {
    throw new CountersignError('store-unavailable', `${file} can't be read. Check its permissions.`, { cause });
  }
  try {
    const header = Buffer.alloc(HEADER_LENGTH);
    return header.subarray(0, readSync(descriptor, header, 0, HEADER_LENGTH, 0));
  } finally {
    closeSync(descriptor);
  }
}

function refuseReadonly(path: string, stats: Stats): void {
  // Root can write regardless of the mode, but a file without any write permission bit is meant to be read-only.
  let cause: unknown;
  let isWritable = (stats.mode & 0o222) !== 0;
  try {
    accessSync(path, constants.W_OK);
  } catch (error) {
    cause = error;
    isWritable = false;
  }
  if (!isWritable) {
    throw new CountersignError('store-readonly', `${path} is read-only. Make it writable, or choose another file.`, {
      cause,
    });
  }
}

export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    // Part of the path is a file instead of a folder, or a folder isn't readable.
    throw new CountersignError('not-found', `${path} can't be reached. Check the path and its permissions.`, { cause });
  }
}
