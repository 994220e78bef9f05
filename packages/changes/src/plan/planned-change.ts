import type { GitChange } from '../git/git-change.js';
import type { FolderPlan } from './plan.js';

/** A change to a working folder: what it does, where its new files are, and where to write down what was applied. */
export interface PlannedChange {
  readonly plan: FolderPlan;
  readonly workingDirectory: string;
  /** The new files. */
  readonly upper: string;
  /** Private to us. Contains `upper`, and the objects of `git`. */
  readonly root: string;
  /** What it does to the folder's repository. On a branch, the files are not applied: its last commit has them. */
  readonly git?: GitChange;
}

/** The change whose files are applied. */
export function appliedFiles<T extends Pick<PlannedChange, 'plan' | 'git'>>(change: T): T {
  if (change.git?.branch === undefined) return change;
  const { path, was } = change.plan;
  return { ...change, plan: { path, was, mode: was.mode, inner: [], steps: [] } };
}
