import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeDraftsFolder } from '../apply/call-folders.js';
import { readDiskClock } from '../files/disk-clock.js';
import { removeTree } from '../files/remove-tree.js';
import { hasOwnChanges } from '../git/has-own-changes.js';
import { findGitFolder, isMovable, keepStartRefs, START, whyNoGit } from '../git/refs.js';
import { RunRefused, type RunFolders } from './run-folders.js';
import { writeRunRecord, type KeptRun, type RunRecord } from './run-record.js';

/** Makes the draft of a run. */
export async function startRun(folders: RunFolders, given: Omit<RunRecord, 'since'>): Promise<KeptRun> {
  return await makeRunFolder(folders, given, async (root) => ({
    ...{ ...given, since: await readDiskClock(join(root, 'clock')) },
    ...(await startGit(root, given)),
  }));
}

/** Makes the folder of a run. `fill` puts into it what belongs there; its record is written last. */
export async function makeRunFolder(
  { place, rootOf, must }: RunFolders,
  { id, folder }: Pick<RunRecord, 'id' | 'folder'>,
  fill: (root: string) => Promise<RunRecord>,
): Promise<KeptRun> {
  await makeDraftsFolder(place.folder);
  const root = rootOf(id);
  await mkdir(root, { mode: 0o700 });
  try {
    for (const name of ['upper', 'work', 'lower', 'merged', 'home']) await mkdir(join(root, name), { mode: 0o700 });
    // The top of the draft replaces the working folder, so it needs the same owner and mode.
    const { mode, uid, gid } = await stat(folder);
    await chown(join(root, 'upper'), uid, gid).catch(() => undefined);
    await chmod(join(root, 'upper'), mode & 0o7777);
    await writeRunRecord(root, await fill(root));
    return await must(id);
  } catch (error) {
    await removeTree(root).catch(() => undefined);
    throw error;
  }
}

/** Keeps the refs of the folder. Where the person has changes of their own, commits go to a branch. */
async function startGit(
  root: string,
  { folder, branch, program, id }: Omit<RunRecord, 'since'>,
): Promise<{ branch?: string }> {
  const hasGit = (await findGitFolder(folder)) === 'here' && (await whyNoGit(folder)) === undefined;
  checkBranch(branch, hasGit);
  if (!hasGit) return {};
  await keepStartRefs(root, folder);
  if (branch !== undefined || !(await hasOwnChanges(folder))) return {};
  const short = basename(program[0] ?? 'run').replaceAll(/[^\w-]+/g, '') || 'run';
  return { branch: `run/${short}-${id.slice(-4)}` };
}

/** Without Git, the files would be applied to the folder itself, which a person who names a branch doesn't expect. */
export function checkBranch(name: string | undefined, hasGit: boolean): void {
  if (name === undefined) return;
  if (!hasGit)
    throw new RunRefused('This folder has no Git repository of its own, so nothing can be applied to a branch.');
  if (!isMovable(`refs/heads/${name}`)) throw new RunRefused(`"${name}" can't be the name of a branch.`);
}

export function hasStartRefs(root: string): boolean {
  return existsSync(join(root, START));
}
