import { closeSync, openSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { keepOwnFile } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import { checkFile, statOf } from './check-file.js';

/**
 * Files that this process has open. Looked at before anything else: on POSIX, closing any descriptor of a file drops all locks the
 * process holds on it, so even reading the header of a file we own would let another process in.
 * Shared by every copy of this module in the process.
 */
const key = Symbol.for('countersign.storage.open-files');
const openFiles = ((globalThis as Record<symbol, unknown>)[key] ??= new Set<string>()) as Set<string>;

export interface OwnedFile {
  /** Leaves a note of who holds the file. Only for people: the lock is SQLite's. */
  noteOwner(): void;
  release(): void;
}

/** Takes a file for this process, creating it if need be. */
export function ownFile(file: string, newestVersion: number): OwnedFile {
  const existing = statOf(file);
  if (existing !== undefined && openFiles.has(identity(existing))) throw locked(file);
  if (checkFile(file, newestVersion) === undefined) create(file);

  const made = statOf(file);
  if (made === undefined) {
    throw new CountersignError('not-found', `${file} is a link to nothing. Remove it, or choose another file.`);
  }
  const id = identity(made);
  openFiles.add(id);
  // What we leave beside a link to it is ours too.
  const kept = [realpathSync(file), join(realpathSync(dirname(file)), basename(file))].map(keepOwnFile);
  const note = `${file}.owner`;
  let hasNote = false;
  return {
    noteOwner() {
      try {
        writeFileSync(note, `${process.pid}\n`, { mode: 0o600 });
        hasNote = true;
      } catch {
        // Only for people: whoever finds the lock is told without a number.
      }
    },
    release() {
      openFiles.delete(id);
      for (const giveBack of kept) giveBack();
      if (hasNote) rmSync(note, { force: true });
    },
  };
}

export function locked(file: string, cause?: unknown): CountersignError {
  let owner = '';
  try {
    owner = ` (pid ${readFileSync(`${file}.owner`, 'utf8').trim()})`;
  } catch {
    // It has not written its note yet: the message goes without.
  }
  return new CountersignError(
    'store-locked',
    `${file} is already in use by another process${owner}. Close it, or talk to the server that runs on it.`,
    { cause },
  );
}

function create(file: string): void {
  try {
    // Before SQLite would, with whatever the umask allows: what agents say and do is nobody else's business.
    closeSync(openSync(file, 'wx', 0o600));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') return;
    throw new CountersignError('store-readonly', `${file} can't be created. Make its folder writable.`, { cause });
  }
}

function identity({ dev, ino }: { dev: number; ino: number }): string {
  return `${dev}:${ino}`;
}
