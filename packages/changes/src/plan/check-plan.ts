import { dirname, join } from 'node:path';
import { ChangeConflict } from './change-conflict.js';
import { readNames } from '../files/file-names.js';
import { codeOf } from '../files/move.js';
import { find, openFolder, type OpenFolder } from '../files/open-folder.js';
import { folderIdOf, removedVersionOf, versionOf, type FolderPlan, type Step } from './plan.js';

/** Rejects with `ChangeConflict` if someone else changed a path of the plan after it was made. */
export async function checkPlan({ plan, workingDirectory }: CheckedPlan): Promise<void> {
  const checking: Checking = { conflicts: [] };
  await inFolder(workingDirectory, plan, (folder) => check(folder, plan, checking));
  if (checking.conflicts.length > 0) throw new ChangeConflict(checking.conflicts);
}

interface CheckedPlan {
  readonly plan: FolderPlan;
  readonly workingDirectory: string;
}

interface Checking {
  readonly conflicts: string[];
}

/** Opens a folder of the plan, or reports a conflict if it is no longer the same folder. */
export async function inFolder(
  path: string,
  { path: name, was }: FolderPlan,
  act: (folder: OpenFolder) => Promise<void>,
): Promise<void> {
  const folder = await openFolder(path).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(String(codeOf(error)))) throw new ChangeConflict([name]);
    throw error;
  });
  try {
    const { dev, ino, mode } = folderIdOf(await folder.handle.stat({ bigint: true }));
    if (dev !== was.dev || ino !== was.ino || mode !== was.mode) throw new ChangeConflict([name]);
    await act(folder);
  } finally {
    await folder.handle.close();
  }
}

async function check({ at }: OpenFolder, plan: FolderPlan, now: Checking): Promise<void> {
  for (const inner of plan.inner) await inFolder(join(at, nameOf(inner)), inner, (folder) => check(folder, inner, now));
  const gone = new Set<string>();
  for (const step of plan.steps) {
    const changed = await changedIn(join(at, step.name), step, gone.has(step.name));
    for (const below of changed) now.conflicts.push(join(plan.path, step.name, below));
    if (step.kind === 'remove') gone.add(step.name);
  }
}

type IsVersion = (version: string, was: string) => boolean;
const isEqual: IsVersion = (version, was) => version === was;

/** What someone else changed after the plan was made, relative to the step's path. Empty only if all of it is as planned. */
export async function changedIn(
  path: string,
  step: Step,
  isRemovedBefore: boolean,
  isVersion = isEqual,
): Promise<string[]> {
  switch (step.kind) {
    case 'add':
      return isRemovedBefore || (await find(path)) === undefined ? [] : [''];
    case 'replace': {
      const there = await find(path);
      return there !== undefined && isVersion(versionOf(there), step.was) ? [] : [''];
    }
    case 'remove':
      return await changedInTree(path, new Map(step.was), isVersion);
  }
}

/** If more entries of a folder were changed, only the folder is named. */
const MAX_NAMED = 20;

async function changedInTree(top: string, was: ReadonlyMap<string, string>, isVersion: IsVersion): Promise<string[]> {
  const changed = new Set<string>();
  const missing = new Set(was.keys());
  const walk = async (below: string): Promise<void> => {
    const path = join(top, below);
    const there = await find(path);
    missing.delete(below);
    if (there === undefined || !isVersion(removedVersionOf(there), was.get(below) ?? ''))
      return void changed.add(below);
    if (!there.isDirectory()) return;
    for (const name of await readNames(path)) if (changed.size <= MAX_NAMED) await walk(join(below, name));
  };
  await walk('');
  if (changed.has('') || changed.size > MAX_NAMED) return [''];
  for (const below of missing) {
    const folder = dirname(below);
    // What is inside a changed or missing folder isn't named again.
    if (changed.has(folder) || missing.has(folder)) continue;
    changed.add(below);
    if (changed.size > MAX_NAMED) return [''];
  }
  return [...changed];
}

/** The name of a folder of a plan. */
export function nameOf({ path }: FolderPlan): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
