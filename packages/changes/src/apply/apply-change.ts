import type { DiskMoment } from '../files/disk-clock.js';
import type { ProcessLock } from '../files/lock-folder.js';
import { removeTree } from '../files/remove-tree.js';
import { isEmptyPlan, removedPaths } from '../plan/plan.js';
import { prepareGitChange } from '../git/apply-git-change.js';
import { isEmptyGitChange } from '../git/git-change.js';
import { appliedFiles, type PlannedChange } from '../plan/planned-change.js';
import { writeRemoved } from '../plan/removed-paths.js';
import { applyPlan } from './apply-plan.js';
import { findUnfinished, noteApplied } from './journal.js';

/** Applies a planned change while the folder is locked. */
export type ApplyChange = (change: PlannedChange, now: DiskMoment) => Promise<void>;

/** Applies a plan, records what it removes, and moves refs. Only the holder of the folder's lock may call this. */
export async function applyChange(
  place: Pick<ProcessLock, 'folder'>,
  draft: PlannedChange,
  now: DiskMoment,
  after?: Parameters<typeof applyPlan>[1],
): Promise<void> {
  const { git } = draft;
  if (git === undefined || isEmptyGitChange(git)) {
    await applyFiles(place, appliedFiles(draft), now, after);
    return;
  }
  const prepared = await prepareGitChange(draft, git);
  let isCommitted = false;
  try {
    await applyFiles(place, appliedFiles(draft), now, after, async () => {
      await prepared.commit();
      isCommitted = true;
    });
    await prepared.forget();
  } catch (error) {
    if (!isCommitted) await prepared.abort();
    throw error;
  }
}

async function applyFiles(
  { folder }: Pick<ProcessLock, 'folder'>,
  draft: PlannedChange,
  now: DiskMoment,
  after?: Parameters<typeof applyPlan>[1],
  last?: () => Promise<void>,
): Promise<void> {
  if (isEmptyPlan(draft.plan)) {
    if (last === undefined) return;
    await last();
    await noteApplied(draft.root);
    await after?.(() => '');
    return;
  }
  await writeRemoved(folder, draft.workingDirectory, now, removedPaths(draft.plan));
  await applyPlan(draft, after, last);
}

/**
 * If something can't be removed now, the next cleanup retries; don't fail the command because of it. A draft that was applied only in part is
 * the only copy of the old files, and is undone at the next start.
 */
export async function discardFolder(root: string): Promise<void> {
  const unfinished = await findUnfinished(root).catch(() => root);
  if (unfinished === undefined) await removeTree(root).catch(() => undefined);
}
