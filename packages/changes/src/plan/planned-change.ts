import type { FolderPlan } from './plan.js';

/** A change to a working folder: what it does, where its new files are, and where to write down what was applied. */
export interface PlannedChange {
  readonly plan: FolderPlan;
  readonly workingDirectory: string;
  /** The new files. */
  readonly upper: string;
  /** Private to us. Contains `upper`. */
  readonly root: string;
}
