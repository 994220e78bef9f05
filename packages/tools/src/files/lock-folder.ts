import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';

/** Locks between processes on this machine, using the `flock` program and a private folder that agents can't reach. */
export interface ProcessLock {
  /** Undefined if it isn't installed: folders are then locked only within this process. */
  readonly flock?: string | undefined;
  readonly folder: string;
}

const queues = new Map<string, Promise<unknown>>();

/**
 * Runs one change to a working folder at a time, in this process and (with `lock`) across all processes that share the folder. The kernel
 * releases the lock when its holder dies. On timeout, rejects before anything ran.
 */
export async function lockFolder<T>(
  workingDirectory: string,
  lock: ProcessLock | undefined,
  act: () => Promise<T>,
): Promise<T> {
  const before = queues.get(workingDirectory) ?? Promise.resolve();
  const mine = before.then(async () => {
    const unlock = lock?.flock === undefined ? undefined : await takeLock(lock.flock, lock.folder, workingDirectory);
    try {
      return await act();
    } finally {
      await unlock?.();
    }
  });
  const settled = mine.catch(() => undefined);
  queues.set(workingDirectory, settled);
  try {
    return await mine;
  } finally {
    if (queues.get(workingDirectory) === settled) queues.delete(workingDirectory);
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
