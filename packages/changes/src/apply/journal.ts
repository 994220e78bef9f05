import { closeSync, openSync, writeSync } from 'node:fs';
import { chmod, link, lstat, mkdir, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { copyTree } from '../files/copy-tree.js';
import { codeOf } from '../files/move.js';
import { writeDurably } from '../files/write-durably.js';
import { find, openFolder } from '../files/open-folder.js';
import { folderIdOf, planSchema, type FolderPlan, type Step } from '../plan/plan.js';
import { removeTree } from '../files/remove-tree.js';
import { noteRestored } from './restored.js';

const journalSchema = z.strictObject({
  workingDirectory: z.string(),
  plan: planSchema,
});
type Journal = z.infer<typeof journalSchema>;

/** The record of a plan that is being applied. */
export interface OpenJournal {
  /** Where a step keeps the old content. */
  keptAt(step: Step): string;
  /**
   * A new name next to the target, for a copy of a file that is on another disk. Nobody can guess it: other programs write to the folder, and could
   * put a symlink there.
   */
  copyAt(target: string, step: Step): string;
  /** Must be called before the target changes, with the inode that the step moves. */
  note(step: Step, ino: bigint): void;
  /** The plan is applied. From now on, nothing is undone. */
  finish(): Promise<void>;
  /** Deletes the old content. */
  forget(): Promise<void>;
  close(): void;
}

const NAME = 'journal.json';
/** The name of the journal once all of the plan is applied. */
const DONE = 'applied.json';
const STEPS = 'steps';

/** `root` is a private folder of the draft. */
export async function startJournal(root: string, workingDirectory: string, plan: FolderPlan): Promise<OpenJournal> {
  const before = join(root, 'before');
  const steps = openSync(join(root, STEPS), 'a', 0o600);
  await writeDurably(join(root, NAME), JSON.stringify({ workingDirectory, plan } satisfies Journal));
  await mkdir(before, { mode: 0o700 });
  return {
    keptAt: ({ id }) => join(before, String(id)),
    copyAt(target, { id }) {
      const name = `.countersign-${crypto.randomUUID()}`;
      writeSync(steps, `${id} ${name}\n`);
      return join(dirname(target), name);
    },
    note: ({ id }, ino) => void writeSync(steps, `${id} ${ino}\n`),
    finish: () => rename(join(root, NAME), join(root, DONE)),
    forget: () => removeTree(before).catch(() => undefined),
    close: () => closeSync(steps),
  };
}

/** Notes that all of a change was applied, also if it has no files. From now on, nothing is undone. */
export async function noteApplied(root: string): Promise<void> {
  await rename(join(root, NAME), join(root, DONE)).catch(async (error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
    await writeDurably(join(root, DONE), '{}');
  });
}

/** Returns the working folder of a draft that was applied only in part, or undefined. */
export async function findUnfinished(root: string): Promise<string | undefined> {
  return (await readJournal(root))?.workingDirectory;
}

/** Whether all of a plan was applied from this folder. */
export async function wasApplied(root: string): Promise<boolean> {
  return (await find(join(root, DONE))) !== undefined;
}

async function readJournal(root: string): Promise<Journal | undefined> {
  const text = await readFile(join(root, NAME), 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : journalSchema.parse(JSON.parse(text));
}

/**
 * Restores the working folder and the draft to the state before a plan that was applied only in part. Does nothing if all of it was applied.
 * Leaves paths alone that someone has changed after it stopped. Only the holder of the folder's lock may call this.
 */
export async function undoUnfinished(root: string): Promise<void> {
  const journal = await readJournal(root);
  if (journal === undefined) return;
  const lines = (await readFile(join(root, STEPS), 'utf8')).split('\n');
  const noted = lines.map((line) => /^(\d+) (\d+)$/.exec(line)).filter((found) => found !== null);
  const { ctimeNs: last } = await lstat(join(root, STEPS), { bigint: true });
  const copied = lines.map((line) => /^(\d+) (\.countersign-[\w-]+)$/.exec(line)).filter((found) => found !== null);
  const { plan, workingDirectory } = journal;
  const before = join(root, 'before');
  const moved = new Map(noted.map(([, id, ino]) => [Number(id), BigInt(ino ?? '')]));
  const copies = new Map(copied.map(([, id, name = '']) => [Number(id), name]));
  const movedBack = new Set<number>();
  await undoFolder(workingDirectory, plan, { before, upper: join(root, 'upper'), moved, copies, last, movedBack });
  // Without the note, restored paths only look changed by others.
  await noteRestored(root, { workingDirectory, plan, movedBack }).catch(() => undefined);
  await removeTree(before);
  await unlink(join(root, NAME));
}

interface Undoing {
  readonly before: string;
  /** The draft, which gets its files back: it may be applied again. */
  readonly upper: string;
  /** The names of copies of files that are on another disk. */
  readonly copies: ReadonlyMap<number, string>;
  /** For each step that was started: the inode that it moved. */
  readonly moved: ReadonlyMap<number, bigint>;
  /** When the last step was started. */
  readonly last: bigint;
  /** The steps whose old content is in its place again. */
  readonly movedBack: Set<number>;
}

async function undoFolder(path: string, plan: FolderPlan, now: Undoing): Promise<void> {
  const folder = await openFolder(path).catch(() => undefined);
  if (folder === undefined) return;
  try {
    const { dev, ino, mode } = folderIdOf(await folder.handle.stat({ bigint: true }));
    if (dev !== plan.was.dev || ino !== plan.was.ino) return;
    if ((mode & 0o300) !== 0o300) await folder.handle.chmod(mode | 0o300);
    for (const step of plan.steps.toReversed())
      await undoStep(join(folder.at, step.name), join(now.upper, plan.path, step.name), step, now);
    for (const inner of plan.inner.toReversed())
      await undoFolder(join(folder.at, inner.path.slice(inner.path.lastIndexOf('/') + 1)), inner, now);
    await folder.handle.chmod(plan.was.mode);
  } finally {
    await folder.handle.close();
  }
}

async function undoStep(target: string, drafted: string, step: Step, now: Undoing): Promise<void> {
  const copy = now.copies.get(step.id);
  if (copy !== undefined) await removeTree(join(dirname(target), copy));
  const ino = now.moved.get(step.id);
  if (ino === undefined) return;
  const kept = join(now.before, String(step.id));
  const [there, old] = [await find(target), await find(kept)];
  switch (step.kind) {
    case 'add':
      if (there?.ino !== ino || !(await isUnchangedSince(target, now.last))) return;
      if (!(await isThere(drafted))) await rename(target, drafted).catch(() => undefined);
      await removeTree(target);
      return;
    case 'replace':
      if (there?.ino !== ino || old === undefined || !(await isUnchangedSince(target, now.last))) return;
      // A second name, so that the file never disappears from its place.
      if (!(await isThere(drafted))) await link(target, drafted).catch(() => undefined);
      await moveBack(kept, target);
      now.movedBack.add(step.id);
      return;
    case 'remove':
      // It was moved to another disk, and is not or only partly removed.
      if (there?.ino === ino && old !== undefined) await removeTree(target);
      if (old !== undefined && (await find(target)) === undefined) {
        await moveBack(kept, target);
        now.movedBack.add(step.id);
      }
      if ((await find(target))?.isDirectory() === true) await chmod(target, modeOf(step.was));
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await find(path).catch(() => undefined)) !== undefined;
}

function modeOf([top]: readonly (readonly [string, string])[]): number {
  return Number(top?.[1].split(' ')[2]);
}

async function moveBack(kept: string, target: string): Promise<void> {
  try {
    await rename(kept, target);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
    const copy = join(dirname(target), `.countersign-${crypto.randomUUID()}`);
    await copyTree(kept, copy);
    await rename(copy, target);
  }
}

/** Our own last step may have changed it a moment after it was noted. */
const SLACK_NS = 5_000_000_000n;

async function isUnchangedSince(path: string, last: bigint): Promise<boolean> {
  const stats = await find(path);
  if (stats === undefined) return true;
  if (stats.ctimeNs > last + SLACK_NS) return false;
  if (!stats.isDirectory()) return true;
  for (const name of await readdir(path)) if (!(await isUnchangedSince(join(path, name), last))) return false;
  return true;
}
