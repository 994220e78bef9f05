import { mkdir, rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { findFixedPaths, type FixedPath } from './find-fixed-paths.js';

/** How many running commands need each placeholder. Removed under one of them, another would lose what it stands for. */
const users = new Map<string, number>();
let last: Promise<unknown> = Promise.resolve();

export interface Held {
  readonly fixed: readonly FixedPath[];
  /** Call it once, when the command and all its children are dead. */
  release(): Promise<void>;
}

/**
 * Finds what stays fixed while a command runs, and makes the empty folders that the sandbox mounts over where something must not
 * come to be. Only what is still empty, and was made here, is ever removed.
 */
export async function holdFixedPaths(workingDirectory: string): Promise<Held> {
  return await inTurn(async () => {
    const wanted = await findFixedPaths(workingDirectory);
    const fixed: FixedPath[] = [];
    const held: string[] = [];
    for (const entry of wanted) {
      const count = users.get(entry.path) ?? 0;
      if (count === 0 && entry.how === 'absent' && !(await makeFolder(entry.path))) continue;
      if (count > 0 || entry.how === 'absent') {
        users.set(entry.path, count + 1);
        held.push(entry.path);
      }
      fixed.push(entry);
    }
    return { fixed, release: () => inTurn(() => release(fixed, held)) };
  });
}

async function release(fixed: readonly FixedPath[], held: readonly string[]): Promise<void> {
  for (const path of held) {
    const count = (users.get(path) ?? 1) - 1;
    if (count > 0) users.set(path, count);
    else {
      users.delete(path);
      await rmdir(path).catch(() => undefined);
    }
  }
  // This file makes Git take its settings and hooks from another folder. The main checkout of a repository never has one.
  for (const { path, how } of fixed) {
    if (how === 'pinned' && basename(path).toLowerCase() === '.git')
      await rm(join(path, 'commondir'), { force: true, recursive: true }).catch(() => undefined);
  }
}

/** One at a time: between one command's look and its hold, another's release would take away what was seen. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = last.then(work);
  last = mine.catch(() => undefined);
  return await mine;
}

async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch {
    // It can't be made here, by us or by a command; or somebody made it since we looked, and theirs is not ours to remove.
    return false;
  }
}
