import type { BigIntStats } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlannedChange } from '../plan/planned-change.js';
import { ChangeConflict } from '../plan/change-conflict.js';
import { find, openFolder } from '../files/open-folder.js';
import { folderIdOf, removedVersionOf, versionOf, type FolderPlan, type Step } from '../plan/plan.js';
import type { DraftedFiles } from './drafted-files.js';

/**
 * The plan that reverts a plan that has just been applied. Its steps have the same ids. Rejects with `ChangeConflict` if someone else has changed one
 * of the paths in the meantime. Only the holder of the folder's lock may call this, and the draft's own names of the files must be gone.
 */
export async function reversePlan(
  { plan, workingDirectory }: Pick<PlannedChange, 'plan' | 'workingDirectory'>,
  drafted: DraftedFiles,
): Promise<FolderPlan> {
  return await reverseFolder(workingDirectory, plan, drafted);
}

async function reverseFolder(place: string, plan: FolderPlan, drafted: DraftedFiles): Promise<FolderPlan> {
  const { handle, at } = await openFolder(place);
  try {
    const was = folderIdOf(await handle.stat({ bigint: true }));
    if (was.dev !== plan.was.dev || was.ino !== plan.was.ino || was.mode !== plan.mode)
      throw new ChangeConflict([plan.path]);
    const reversed: FolderPlan = { path: plan.path, was, mode: plan.was.mode, inner: [], steps: [] };
    for (const inner of plan.inner) {
      const name = inner.path.slice(inner.path.lastIndexOf('/') + 1);
      reversed.inner.push(await reverseFolder(join(at, name), inner, drafted));
    }
    for (const step of plan.steps.toReversed()) reversed.steps.push(await reverseStep(at, plan.path, step, drafted));
    return reversed;
  } finally {
    await handle.close();
  }
}

async function reverseStep(at: string, folder: string, step: Step, drafted: DraftedFiles): Promise<Step> {
  const { id, name, kind } = step;
  if (kind === 'remove') return { id, name, kind: 'add' };
  const was: [string, string][] = [];
  const read = async (below: string): Promise<BigIntStats> => {
    const [path, place] = [join(folder, name, below), join(at, name, below)];
    const there = await find(place);
    if (there === undefined || !isSameFile(there, drafted.get(path)?.stats)) throw new ChangeConflict([path]);
    was.push([below, removedVersionOf(there)]);
    if (there.isDirectory()) for (const inner of await readdir(place)) await read(join(below, inner));
    return there;
  };
  const top = await read('');
  return kind === 'add' ? { id, name, kind: 'remove', was } : { id, name, kind, was: versionOf(top) };
}

/** A copy on another disk is another inode, and keeps the time of a file only to about a microsecond. */
const MAX_DRIFT_NS = 2_000_000n;

function isSameFile(there: BigIntStats, drafted: BigIntStats | undefined): boolean {
  if (drafted === undefined || there.mode !== drafted.mode) return false;
  if (there.isDirectory()) return true;
  if (there.size !== drafted.size) return false;
  const drift = there.mtimeNs - drafted.mtimeNs;
  return there.isSymbolicLink() || (drift <= MAX_DRIFT_NS && drift >= -MAX_DRIFT_NS);
}
