import { closeSync, fsyncSync, lstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Reads a private file. Undefined if it is missing, or if other users could have read or written it. */
export function readPrivate(file: string): string | undefined {
  try {
    const stats = lstatSync(file);
    const isOurs = process.getuid === undefined || stats.uid === process.getuid();
    if (!stats.isFile() || !isOurs || (stats.mode & 0o077) !== 0) return undefined;
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Writes atomically, with mode 0600. */
export function writePrivate(file: string, text: string): void {
  renameSync(writeFresh(file, text), file);
}

/** Like `writePrivate`, and syncs to disk: a power failure must not leave an empty file in place of a key. */
export function writePrivateToDisk(file: string, text: string): void {
  const fresh = writeFresh(file, text);
  sync(fresh);
  renameSync(fresh, file);
  sync(dirname(file));
}

function writeFresh(file: string, text: string): string {
  const fresh = `${file}.${process.pid}.new`;
  // Remove a leftover first: an existing file would keep its mode.
  rmSync(fresh, { force: true });
  writeFileSync(fresh, text, { mode: 0o600, flag: 'wx' });
  return fresh;
}

function sync(path: string): void {
  const opened = openSync(path, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
