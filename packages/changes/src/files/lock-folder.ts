import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Hold } from '@countersign/core/ports';

/** Locks between processes on this machine, using the `flock` program and a private folder that agents can't reach. */
export interface ProcessLock {
  /** Undefined if it isn't installed: folders are then locked only within this process. */
  readonly flock?: string | undefined;
  readonly folder: string;
}

const queues = new Map<string, Promise<void>>();

/**
 * Runs one change to a working folder at a time, in this process and (with `lock`) across all processes that share the folder. The kernel
 * releases the lock when its holder dies. On timeout, rejects before anything ran. Doesn't wait if `hold` has locked the folder.
 */
export async function lockFolder<T>(
  workingDirectory: string,
  lock: ProcessLock | undefined,
  act: () => Promise<T>,
  hold?: Hold,
): Promise<T> {
  const isHeld = hold instanceof FolderHold && hold.isOpen && hold.workingDirectory === workingDirectory;
  if (isHeld) return await hold.run(act);
  const own = await holdFolder(workingDirectory, lock);
  try {
    return await act();
  } finally {
    await own.release();
  }
}

/** Locks a working folder until the hold is released. On timeout, rejects. */
export async function holdFolder(workingDirectory: string, lock: ProcessLock | undefined): Promise<Hold> {
  const before = queues.get(workingDirectory);
  let leave = (): void => undefined;
  const left = new Promise<void>((resolve) => (leave = resolve));
  queues.set(workingDirectory, left);
  const end = (): void => {
    if (queues.get(workingDirectory) === left) queues.delete(workingDirectory);
    leave();
  };
  try {
    await before;
    const unlock = lock?.flock === undefined ? undefined : await takeLock(lock.flock, lock.folder, workingDirectory);
    return new FolderHold(workingDirectory, async () => {
      await unlock?.();
      end();
    });
  } catch (error) {
    end();
    throw error;
  }
}

/** A locked working folder. */
class FolderHold implements Hold {
  readonly workingDirectory: string;
  #last: Promise<unknown> = Promise.resolve();
  #unlock: (() => Promise<void>) | undefined;

  constructor(workingDirectory: string, unlock: () => Promise<void>) {
    this.workingDirectory = workingDirectory;
    this.#unlock = unlock;
  }

  get isOpen(): boolean {
    return this.#unlock !== undefined;
  }

  /** Runs one change at a time. */
  run<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(act);
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  /** Waits for a change that is still being made: a call that was stopped must not write without the lock. */
  async release(): Promise<void> {
    const unlock = this.#unlock;
    this.#unlock = undefined;
    await this.#last;
    await unlock?.();
  }
}

/** Picks one of a fixed number of lock files. If a lock file were deleted while a process waited for it, there would be two locks. */
export function lockSlot(workingDirectory: string): string {
  return createHash('sha256').update(workingDirectory).digest('hex').slice(0, 2);
}

const WAIT_SECONDS = 60;

/** The child holds the lock until its stdin closes, so the lock is released if we die. */
async function takeLock(flock: string, folder: string, workingDirectory: string): Promise<() => Promise<void>> {
  const file = join(folder, `lock-${lockSlot(workingDirectory)}`);
  const words = ['-x', '-w', String(WAIT_SECONDS), file, '/bin/sh', '-c', 'printf .; read -r _'];
  // Runs in a separate session, so that Ctrl-C in our terminal doesn't release the lock during a write.
  const child = spawn(flock, words, { cwd: '/', env: {}, detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  const held = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)]);
  if (!held) throw new Error('another process has been changing this working folder for too long; try again later');
  return async () => {
    child.stdin.end();
    await ended;
  };
}
