import type { DiskMoment } from '../files/disk-clock.js';
import type { ProcessLock } from '../files/lock-folder.js';
import { removeTree } from '../files/remove-tree.js';
import { isEmptyPlan, removedPaths } from '../plan/plan.js';
import type { PlannedChange } from '../plan/planned-change.js';
import { writeRemoved } from '../plan/removed-paths.js';
import { applyPlan } from './apply-plan.js';
import { findUnfinished } from './journal.js';

/** Applies a planned change while the folder is locked. */
export type ApplyChange = (change: PlannedChange, now: DiskMoment) => Promise<void>;

/** Applies a plan, and records what it removes. Only the holder of the folder's lock may call this. */
export async function applyChange(
  { folder }: Pick<ProcessLock, 'folder'>,
  draft: PlannedChange,
  now: DiskMoment,
  after?: Parameters<typeof applyPlan>[1],
): Promise<void> {
  if (isEmptyPlan(draft.plan)) return;
  await writeRemoved(folder, draft.workingDirectory, now, removedPaths(draft.plan));
  await applyPlan(draft, after);
}

/**
 * If something can't be removed now, the next cleanup retries; don't fail the command because of it. A draft that was applied only in part is
 * the only copy of the old files, and is undone at the next start.
 */
export async function discardFolder(root: string): Promise<void> {
  const unfinished = await findUnfinished(root).catch(() => root);
  if (unfinished === undefined) await removeTree(root).catch(() => undefined);
}
