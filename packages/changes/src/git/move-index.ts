import { constants } from 'node:fs';
import { copyFile, link, lstat, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { codeOf } from '../files/move.js';
import { find } from '../files/open-folder.js';
import { versionOf } from '../plan/plan.js';
import { ChangeConflict } from '../plan/change-conflict.js';
import type { MovedRef } from './git-change.js';
import { inRepository, readRefs } from './refs.js';
import { GitFailed, runGit } from './run-git.js';

const INDEX = join('.git', 'index');

/**
 * Writes the folder's index as it will be when the current branch has moved: what the person has staged stays staged. Returns undefined if the
 * current branch doesn't move. Rejects with `ChangeConflict` if a staged change would be lost.
 */
export async function makeIndex(root: string, folder: string, refs: readonly MovedRef[]): Promise<string | undefined> {
  const { head } = await readRefs(folder);
  const ref = refs.find(({ name }) => name === head);
  if (ref?.to === undefined && ref?.from === undefined) return undefined;
  const file = join(root, 'git-index');
  await rm(file, { force: true });
  await copyFile(join(folder, INDEX), file).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
  const git = async (words: readonly string[]): Promise<string> =>
    String(await runGit([...inRepository(folder), ...words], { cwd: folder, env: { GIT_INDEX_FILE: file } }));
  try {
    const empty = (await git(['hash-object', '-t', 'tree', '--stdin'])).trim();
    await git(['-c', 'core.splitIndex=false', 'read-tree', '-i', '-m', ref.from ?? empty, ref.to ?? empty]);
    return file;
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    throw new ChangeConflict([INDEX]);
  }
}

const TRIES = 40;
const WAIT_MS = 50;

/**
 * Replaces the index after the refs have moved. If another program keeps it locked, or a change that somebody staged in this moment would be
 * lost, it stays as it is: Git then shows the new commits as staged changes in reverse, and nothing is lost.
 */
export async function moveIndex(root: string, folder: string, refs: readonly MovedRef[]): Promise<void> {
  const lock = join(folder, `${INDEX}.lock`);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const before = await find(join(folder, INDEX));
    const file = await makeIndex(root, folder, refs).catch(() => undefined);
    if (file === undefined) return;
    const isLocked = await lockWith(file, lock);
    if (isLocked) {
      const now = await find(join(folder, INDEX));
      if (now === undefined ? before === undefined : before !== undefined && versionOf(now) === versionOf(before)) {
        await rename(lock, join(folder, INDEX));
        return;
      }
      await unlink(lock);
    }
    await setTimeout(isLocked ? 0 : WAIT_MS);
  }
}

/** Removes a lock that we left when we were killed. It is another name of our own file. */
export async function dropOwnLock(root: string, folder: string): Promise<void> {
  const [own, lock] = await Promise.all(
    [join(root, 'git-index'), join(folder, `${INDEX}.lock`)].map((path) => lstat(path).catch(() => undefined)),
  );
  if (own !== undefined && own.ino === lock?.ino && own.dev === lock.dev) await unlink(join(folder, `${INDEX}.lock`));
}

/** Takes the lock and fills it in one step. */
async function lockWith(file: string, lock: string): Promise<boolean> {
  try {
    await link(file, lock);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    return await copyFile(file, lock, constants.COPYFILE_EXCL).then(
      () => true,
      () => false,
    );
  }
}
