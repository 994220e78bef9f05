import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { copyTree } from './copy-tree.js';
import { codeOf } from './move.js';
import { find, folderIdOf, openFolder, planSchema, type FolderPlan, type Step } from './plan.js';
import { removeTree } from './remove-tree.js';

const journalSchema = z.strictObject({
  workingDirectory: z.string(),
  /** Where the old content of changed and removed paths is until the plan is applied. On the same disk as the working folder. */
  before: z.string(),
  plan: planSchema,
});
type Journal = z.infer<typeof journalSchema>;

/** The record of a plan that is being applied. */
export interface OpenJournal {
  /** Where a step keeps the old content. */
  keptAt(step: Step): string;
  /** A name next to the target, for a copy of a file that is on another disk. */
  copyAt(target: string, step: Step): string;
  /** Must be called before the target changes, with the inode that the step moves. */
  note(step: Step, ino: bigint): void;
  /** The plan is applied. From now on, nothing is undone. */
  finish(): Promise<void>;
  close(): void;
}

const NAME = 'journal.json';
/** The name of the journal once the plan is applied, until the old content is removed. */
const APPLIED = 'applied.json';
const STEPS = 'steps';

/** `root` is a private folder of the draft. */
export async function startJournal(root: string, workingDirectory: string, plan: FolderPlan): Promise<OpenJournal> {
  const isSameDisk = (await lstat(root)).dev === (await lstat(workingDirectory)).dev;
  const before = isSameDisk ? join(root, 'before') : join(workingDirectory, `.countersign-${crypto.randomUUID()}`);
  const steps = openSync(join(root, STEPS), 'a', 0o600);
  await writeDurably(join(root, NAME), JSON.stringify({ workingDirectory, before, plan } satisfies Journal));
  await mkdir(before, { mode: 0o700 });
  return {
    keptAt: ({ id }) => join(before, String(id)),
    copyAt: (target, step) => copyAt(root, target, step),
    note: ({ id }, ino) => void writeSync(steps, `${id} ${ino}\n`),
    async finish() {
      await rename(join(root, NAME), join(root, APPLIED));
      await removeTree(before).catch(() => undefined);
    },
    close: () => closeSync(steps),
  };
}

function copyAt(root: string, target: string, { id }: Step): string {
  return join(dirname(target), `.countersign-${basename(root)}-${id}`);
}

async function writeDurably(file: string, text: string): Promise<void> {
  const partial = `${file}.partial`;
  await writeFile(partial, text, { mode: 0o600 });
  const handle = openSync(partial, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  await rename(partial, file);
}

/** Returns the working folder of a draft that may have been applied only in part, or undefined. */
export async function findUnfinished(root: string): Promise<string | undefined> {
  return ((await readJournal(root, NAME)) ?? (await readJournal(root, APPLIED)))?.workingDirectory;
}

async function readJournal(root: string, name: string): Promise<Journal | undefined> {
  const text = await readFile(join(root, name), 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : journalSchema.parse(JSON.parse(text));
}

/**
 * Restores the working folder to the state before a plan that was applied only in part. If all of it was applied, only removes the old content.
 * Leaves paths alone that someone has changed after it stopped. Only the holder of the folder's lock may call this.
 */
export async function undoUnfinished(root: string): Promise<void> {
  const journal = await readJournal(root, NAME);
  if (journal === undefined) {
    const applied = await readJournal(root, APPLIED);
    if (applied !== undefined) await removeTree(applied.before);
    return;
  }
  const lines = (await readFile(join(root, STEPS), 'utf8')).split('\n');
  const noted = lines.map((line) => /^(\d+) (\d+)$/.exec(line)).filter((found) => found !== null);
  const { ctimeNs: last } = await lstat(join(root, STEPS), { bigint: true });
  const { before, plan, workingDirectory } = journal;
  const moved = new Map(noted.map(([, id, ino]) => [Number(id), BigInt(ino ?? '')]));
  await undoFolder(workingDirectory, plan, { root, before, moved, last });
  await removeTree(before);
  await unlink(join(root, NAME));
}

interface Undoing {
  readonly root: string;
  readonly before: string;
  /** For each step that was started: the inode that it moved. */
  readonly moved: ReadonlyMap<number, bigint>;
  /** When the last step was started. */
  readonly last: bigint;
}

async function undoFolder(path: string, plan: FolderPlan, now: Undoing): Promise<void> {
  const folder = await openFolder(path).catch(() => undefined);
  if (folder === undefined) return;
  try {
    const { dev, ino, mode } = folderIdOf(await folder.handle.stat({ bigint: true }));
    if (dev !== plan.was.dev || ino !== plan.was.ino) return;
    if ((mode & 0o300) !== 0o300) await folder.handle.chmod(mode | 0o300);
    for (const step of plan.steps.toReversed()) await undoStep(join(folder.at, step.name), step, now);
    for (const inner of plan.inner.toReversed())
      await undoFolder(join(folder.at, inner.path.slice(inner.path.lastIndexOf('/') + 1)), inner, now);
    await folder.handle.chmod(plan.was.mode);
  } finally {
    await folder.handle.close();
  }
}

async function undoStep(target: string, step: Step, now: Undoing): Promise<void> {
  const copy = copyAt(now.root, target, step);
  await removeTree(copy);
  const ino = now.moved.get(step.id);
  if (ino === undefined) return;
  const kept = join(now.before, String(step.id));
  const [there, old] = [await find(target), await find(kept)];
  switch (step.kind) {
    case 'add':
      if (there?.ino === ino && (await isUnchangedSince(target, now.last))) await removeTree(target);
      return;
    case 'replace':
      if (there?.ino === ino && old !== undefined && (await isUnchangedSince(target, now.last)))
        await moveBack(kept, target, copy);
      return;
    case 'remove':
      // It was moved to another disk, and is not or only partly removed.
      if (there?.ino === ino && old !== undefined) await removeTree(target);
      if (old !== undefined && (await find(target)) === undefined) await moveBack(kept, target, copy);
      if ((await find(target))?.isDirectory() === true) await chmod(target, modeOf(step.was));
  }
}

function modeOf([top]: readonly (readonly [string, string])[]): number {
  return Number(top?.[1].split(' ')[2]);
}

async function moveBack(kept: string, target: string, copy: string): Promise<void> {
  try {
    await rename(kept, target);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
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
