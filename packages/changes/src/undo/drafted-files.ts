import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlannedChange } from '../plan/planned-change.js';
import { hashDrafted, hashOld } from '../effect/read-content.js';
import { readVersion } from '../effect/list-changes.js';
import { find } from '../files/open-folder.js';
import { removedVersionOf, type FolderPlan } from '../plan/plan.js';

/** A new file, folder or link of a call. */
interface DraftedFile {
  readonly stats: BigIntStats;
  /** Undefined for a folder, and for files beyond a limit. */
  readonly content?: string | undefined;
}

/** The new files of a call, by their path in the working folder. */
export type DraftedFiles = ReadonlyMap<string, DraftedFile>;

/** A command that writes more, such as `npm install`, can't be undone: every file would be looked at twice while the folder is locked. */
const MAX_FILES = 20_000;
/** For the same reason, only so many files are hashed. */
const MAX_HASHED = { files: 1_000, bytes: 64 * 1024 ** 2 };

/** Must be called before the draft is applied. Undefined if there are too many. */
export async function readDrafted({
  plan,
  upper,
}: Pick<PlannedChange, 'plan' | 'upper'>): Promise<DraftedFiles | undefined> {
  const files = new Map<string, DraftedFile>();
  const left = { ...MAX_HASHED };
  const read = async (path: string): Promise<void> => {
    if (files.size > MAX_FILES) return;
    const stats = await lstat(join(upper, path), { bigint: true });
    files.set(path, { stats, content: await contentOf(join(upper, path), stats, left) });
    if (stats.isDirectory()) for (const name of await readdir(join(upper, path))) await read(join(path, name));
  };
  const readFolder = async ({ path, inner, steps }: FolderPlan): Promise<void> => {
    for (const folder of inner) await readFolder(folder);
    for (const { kind, name } of steps) if (kind !== 'remove') await read(join(path, name));
  };
  await readFolder(plan);
  return files.size > MAX_FILES ? undefined : files;
}

async function contentOf(path: string, stats: BigIntStats, left: typeof MAX_HASHED): Promise<string | undefined> {
  if (stats.isSymbolicLink()) return linkContent(await readlink(path));
  if (!stats.isFile() || left.files === 0 || stats.size > left.bytes) return undefined;
  left.files -= 1;
  left.bytes -= Number(stats.size);
  return await hashDrafted(path);
}

export function hashContent(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}

function linkContent(target: string): string {
  return `link ${hashContent(target)}`;
}

/**
 * The version of a path if it is a file or link with this content and mode, which someone may have written again. Undefined if it isn't, or can't
 * be read.
 */
export async function findSameContent(
  workingDirectory: string,
  path: string,
  { version, content }: { version: string; content: string },
): Promise<string | undefined> {
  const there = await find(join(workingDirectory, path)).catch(() => undefined);
  if (there === undefined || there.isDirectory()) return undefined;
  const now = removedVersionOf(there);
  const [was, is] = [readVersion(version), readVersion(now)];
  if (was.kind !== is.kind || was.mode !== is.mode) return undefined;
  const found =
    is.kind === 'file'
      ? await hashOld(workingDirectory, path, now)
      : linkContent(await readlink(join(workingDirectory, path)).catch(() => ''));
  return found === content ? now : undefined;
}
