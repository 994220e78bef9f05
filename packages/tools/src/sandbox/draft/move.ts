import { cp, link, lstat, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/** A move from a draft to a name in an open folder. */
export interface Move {
  readonly upper: string;
  readonly at: string;
  readonly child: string;
}

/** Moves to a path where nothing exists. If something was created there in the meantime, leaves it alone and returns false. */
export async function moveNew({ upper, at, child }: Move): Promise<boolean> {
  return await near(upper, at, async (source) => {
    const target = join(at, child);
    // Renaming a folder never replaces a non-empty folder or a file.
    if ((await lstat(source)).isDirectory()) return await isDone(() => rename(source, target));
    if (!(await isDone(() => linkOrRename(source, target)))) return false;
    await unlink(source).catch(() => undefined);
    return true;
  });
}

/** Replaces a file. Returns false if it is no longer the one that was checked. */
export async function moveOver({ upper, at, child }: Move, unchanged: () => Promise<boolean>): Promise<boolean> {
  return await near(upper, at, async (source) => {
    if (!(await unchanged())) return false;
    await rename(source, join(at, child));
    return true;
  });
}

/** Unlike rename, link never replaces an existing file. Some disks don't support links. */
export async function linkOrRename(source: string, target: string): Promise<void> {
  try {
    await link(source, target);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EMLINK', 'ENOSYS'].includes(String(codeOf(error)))) throw error;
    const there = await lstat(target).catch(() => undefined);
    if (there !== undefined) throw Object.assign(new Error(`${target} exists`), { code: 'EEXIST' });
    await rename(source, target);
  }
}

async function isDone(act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(String(codeOf(error)))) return false;
    throw error;
  }
}

/** If the file is on another disk, copies it to a temporary name first, so that nobody sees a partial file. */
async function near(upper: string, at: string, act: (source: string) => Promise<boolean>): Promise<boolean> {
  try {
    return await act(upper);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
  }
  const whole = join(at, `.countersign-${crypto.randomUUID()}`);
  try {
    await cp(upper, whole, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    return await act(whole);
  } finally {
    await rm(whole, { recursive: true, force: true });
  }
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error ? Reflect.get(error, 'code') : undefined;
}
