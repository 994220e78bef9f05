import type { PlannedChange } from '../plan/planned-change.js';
import { chmod, lchown, link, lstat, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { checkPlan, inFolder, nameOf } from '../plan/check-plan.js';
import { copyTree } from '../files/copy-tree.js';
import { ChangeConflict } from '../plan/change-conflict.js';
import { startJournal, undoUnfinished, type OpenJournal } from './journal.js';
import { codeOf, linkOrRename } from '../files/move.js';
import { removeTree } from '../files/remove-tree.js';
import { find, type OpenFolder } from '../files/open-folder.js';
import { isSameButChangeTime, versionOf, type FolderPlan, type Step } from '../plan/plan.js';

/**
 * Applies all of a plan, or none of it: rejects with `ChangeConflict` if someone else changed one of its paths after it was made, and undoes what
 * was done after any other failure. If this process is killed, `undoUnfinished` undoes it. Only the holder of the folder's lock may call this.
 * `last` belongs to the change too: if it fails, everything is undone. `after` gets the function that finds the old content of a step, before it
 * is deleted.
 */
export async function applyPlan(
  draft: PlannedChange,
  after: (oldAt: (step: Step) => string) => Promise<void> = () => Promise.resolve(),
  last: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { plan, workingDirectory } = draft;
  await checkPlan(draft);
  const journal = await startJournal(draft.root, workingDirectory, plan);
  try {
    const now: Applying = { upper: draft.upper, journal, touched: new Set() };
    await inFolder(workingDirectory, plan, (folder) => apply(folder, plan, now));
    await last();
    await journal.finish();
  } catch (error) {
    await undoUnfinished(draft.root);
    throw error;
  } finally {
    journal.close();
  }
  try {
    await after((step) => journal.keptAt(step));
  } finally {
    await journal.forget();
  }
}

interface Applying {
  readonly upper: string;
  readonly journal: OpenJournal;
  /** Inodes of hard-linked files that we changed, which also updates the change time of their other names. */
  readonly touched: Set<bigint>;
}

async function apply({ at, handle }: OpenFolder, plan: FolderPlan, now: Applying): Promise<void> {
  const { mode } = plan.was;
  const isClosed = (mode & 0o300) !== 0o300;
  // The command could make a read-only folder writable, so we have to do the same.
  if (isClosed && plan.steps.length + plan.inner.length > 0) await handle.chmod(mode | 0o300);
  for (const inner of plan.inner) await inFolder(join(at, nameOf(inner)), inner, (folder) => apply(folder, inner, now));
  for (const step of plan.steps) await take(join(at, step.name), join(now.upper, plan.path, step.name), step, now);
  if (isClosed || plan.mode !== mode) await handle.chmod(plan.mode);
}

async function take(target: string, drafted: string, step: Step, now: Applying): Promise<void> {
  const { journal, touched } = now;
  const kept = journal.keptAt(step);
  if (step.kind === 'remove') {
    const there = await lstat(target, { bigint: true });
    journal.note(step, there.ino);
    if (there.nlink > 1n) touched.add(there.ino);
    await moveAway(target, kept, there.isDirectory() ? Number(there.mode) & 0o7777 : undefined);
    return;
  }
  if (step.kind === 'replace') {
    const there = await find(target);
    if (there === undefined || !isStill(versionOf(there), step.was, touched.has(there.ino)))
      throw new ChangeConflict([step.name]);
    if (there.nlink > 1n) touched.add(there.ino);
    await keep(target, kept);
  }
  const put = async (source: string, copied?: bigint): Promise<void> => {
    const { ino } = await lstat(source, { bigint: true });
    if (copied !== undefined && ino !== copied) throw new ChangeConflict([step.name]);
    journal.note(step, ino);
    await (step.kind === 'add' ? putNew(source, target) : rename(source, target));
  };
  try {
    await put(drafted);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
    const copy = journal.copyAt(target, step);
    await put(copy, await copyTree(drafted, copy));
    await removeTree(copy);
  }
}

/** Our own change to another name of the file updates its change time. */
function isStill(version: string, was: string, isTouched: boolean): boolean {
  return isTouched ? isSameButChangeTime(version, was) : version === was;
}

async function putNew(source: string, target: string): Promise<void> {
  try {
    // Renaming a folder never replaces a non-empty folder or a file.
    if ((await lstat(source)).isDirectory()) {
      await updateChangeTimes(source);
      await rename(source, target);
    } else await linkOrRename(source, target);
  } catch (error) {
    if (!['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(String(codeOf(error)))) throw error;
    throw new ChangeConflict([target]);
  }
}

/**
 * A rename updates the change time of the folder only. A command that started after its files were written, but before they were applied,
 * would take them for files that it has seen, and replace them.
 */
async function updateChangeTimes(path: string): Promise<void> {
  await lchown(path, -1, -1).catch(() => undefined);
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries) {
    const inner = join(path, entry.name);
    await (entry.isDirectory() ? updateChangeTimes(inner) : lchown(inner, -1, -1).catch(() => undefined));
  }
}

/** Keeps the old file under a second name, so that it never disappears from its place. */
async function keep(target: string, kept: string): Promise<void> {
  try {
    await link(target, kept);
  } catch {
    // On another disk, without support for links, or another user's file.
    await copyKept(target, kept);
  }
}

/** `mode` is that of a folder. Moving a folder needs write access to it. */
async function moveAway(target: string, kept: string, mode: number | undefined): Promise<void> {
  if (mode !== undefined && (mode & 0o700) !== 0o700) await chmod(target, mode | 0o700);
  try {
    await rename(target, kept);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
    await copyKept(target, kept);
    await removeTree(target);
  }
}

/** The copy counts only once it is complete. */
async function copyKept(target: string, kept: string): Promise<void> {
  await copyTree(target, `${kept}.partial`);
  await rename(`${kept}.partial`, kept);
}
