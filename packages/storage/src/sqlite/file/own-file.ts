import { closeSync, openSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { registerOwnFile } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import { checkFile, statOf } from './check-file.js';

/**
 * Files that this process has open, shared by all copies of this module. Checked before opening a file: on POSIX, closing any descriptor of a
 * file drops all locks on it, so even reading its header would release ours.
 */
const key = Symbol.for('countersign.storage.open-files');
const openFiles = ((globalThis as Record<symbol, unknown>)[key] ??= new Set<string>()) as Set<string>;

export interface OwnedFile {
  /** Records which process holds the file, only for error messages. SQLite provides the lock. */
  noteOwner(): void;
  release(): void;
}

/** Claims a file for this process, creating it if missing. */
export function ownFile(file: string): OwnedFile {
  const existing = statOf(file);
  if (existing !== undefined && openFiles.has(identity(existing))) throw locked(file);
  if (checkFile(file) === undefined) create(file);

  const made = statOf(file);
  if (made === undefined) {
    throw new CountersignError('not-found', `${file} is a broken link. Remove it, or choose another file.`);
  }
  const id = identity(made);
  openFiles.add(id);
  // Files that we create next to a symlink are also ours.
  const registered = [realpathSync(file), join(realpathSync(dirname(file)), basename(file))].map(registerOwnFile);
  const note = `${file}.owner`;
  let hasNote = false;
  return {
    noteOwner() {
      try {
        writeFileSync(note, `${process.pid}\n`, { mode: 0o600 });
        hasNote = true;
      } catch {
        // The owner is only for error messages, which then omit the pid.
      }
    },
    release() {
      openFiles.delete(id);
      for (const unregister of registered) unregister();
      if (hasNote) rmSync(note, { force: true });
    },
  };
}

export function locked(file: string, cause?: unknown): CountersignError {
  let owner = '';
  try {
    owner = ` (pid ${readFileSync(`${file}.owner`, 'utf8').trim()})`;
  } catch {
    // The owner file is not written yet, so omit the pid.
  }
  return new CountersignError(
    'store-locked',
    `${file} is already in use by another process${owner}. Stop that process, or use its server.`,
    { cause },
  );
}

function create(file: string): void {
  try {
    // Create the file before SQLite creates it with the default umask: its content is private.
    closeSync(openSync(file, 'wx', 0o600));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') return;
    throw new CountersignError('store-readonly', `${file} can't be created. Make its folder writable.`, { cause });
  }
}

function identity({ dev, ino }: { dev: number; ino: number }): string {
  return `${dev}:${ino}`;
}
