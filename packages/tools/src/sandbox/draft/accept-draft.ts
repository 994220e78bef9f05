import { constants } from 'node:fs';
import { cp, lstat, open, readdir, rename, rm, rmdir, unlink, type FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isGitFolder, isGitSetting, looksLikeRepository, runsByItself } from '../runs-later.js';
import { isWhiteout } from './inspect-draft.js';
import type { LeftOut } from './left-out.js';

/** What is needed to put an inspected draft into the working folder. */
export interface Acceptance {
  readonly upper: string;
  readonly workingDirectory: string;
  /** When the command began, by the disk's clock. What others changed since is theirs. */
  readonly since: number;
  /** Of paths in the working folder: which of them the command still saw in the end. */
  readonly stillSeen: (paths: readonly string[]) => Promise<readonly boolean[]>;
}

/** Puts what a command wrote where it belongs, one name at a time, each in one step. Follows no link, on either side. */
export async function acceptDraft(acceptance: Acceptance): Promise<LeftOut[]> {
  const { upper, workingDirectory } = acceptance;
  if ((await readdir(upper)).length === 0) return [];
  const leftOut: LeftOut[] = [];
  const emptied = await findEmptied(acceptance);
  const root = await openFolder(workingDirectory);
  try {
    await acceptFolder({ upper, at: root.at, name: '' }, { ...acceptance, emptied, leftOut });
  } finally {
    await root.handle.close();
  }
  return leftOut;
}

interface Accepting extends Acceptance {
  /** Folders that were removed and made anew: what is not in the draft of them is gone. */
  readonly emptied: ReadonlySet<string>;
  readonly leftOut: LeftOut[];
}

interface Folder {
  readonly upper: string;
  /** An open folder of the real ones: no rename or link leads elsewhere. */
  readonly at: string;
  readonly name: string;
}

async function acceptFolder({ upper, at, name }: Folder, accepting: Accepting): Promise<void> {
  const names = await readdir(upper);
  if (accepting.emptied.has(name)) await removeOthers({ upper, at, name }, new Set(names), accepting);
  for (const child of names) {
    const draft = { upper: join(upper, child), at, child, path: join(name, child) };
    const stats = await lstat(draft.upper);
    if (isWhiteout(stats)) await remove(at, child, draft.path, accepting);
    else if (stats.isDirectory()) await acceptSubfolder(draft, stats.mode & 0o7777, accepting);
    else await acceptFile(draft, accepting);
  }
}

/** What was in a folder that was removed and made anew, except what a command may not remove by its own name either. */
async function removeOthers({ at, name }: Folder, names: ReadonlySet<string>, accepting: Accepting): Promise<void> {
  const real = await readdir(at);
  const isFixed = isGitFolder(basename(name)) || looksLikeRepository(real) ? isGitSetting : runsByItself;
  for (const child of real.filter((other) => !names.has(other))) {
    const path = join(name, child);
    if (isFixed(child)) accepting.leftOut.push({ path, why: 'runs-later' });
    else await remove(at, child, path, accepting);
  }
}

interface Draft {
  readonly upper: string;
  readonly at: string;
  readonly child: string;
  readonly path: string;
}

async function acceptSubfolder(draft: Draft, mode: number, accepting: Accepting): Promise<void> {
  const there = await find(draft);
  if (there?.isDirectory() === true) {
    const real = await openFolder(join(draft.at, draft.child));
    try {
      await acceptFolder({ upper: draft.upper, at: real.at, name: draft.path }, accepting);
      if ((there.mode & 0o7777) !== mode) await real.handle.chmod(mode);
    } finally {
      await real.handle.close();
    }
  } else if (there === undefined || (await remove(draft.at, draft.child, draft.path, accepting))) await move(draft);
}

async function acceptFile(draft: Draft, accepting: Accepting): Promise<void> {
  const there = await find(draft);
  if (there === undefined) return await move(draft);
  if (there.isDirectory()) {
    if (await remove(draft.at, draft.child, draft.path, accepting)) await move(draft);
  } else if (there.ctimeMs > accepting.since) accepting.leftOut.push({ path: draft.path, why: 'changed-meanwhile' });
  else await move(draft);
}

async function find({ at, child }: Draft) {
  return await lstat(join(at, child)).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
}

async function move({ upper, at, child }: Draft): Promise<void> {
  const target = join(at, child);
  try {
    await rename(upper, target);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
    // On another disk: copied under a name of its own first, so that nobody ever sees half of it.
    const whole = join(at, `.countersign-${crypto.randomUUID()}`);
    try {
      await cp(upper, whole, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
      await rename(whole, target);
    } catch (cause) {
      await rm(whole, { recursive: true, force: true });
      throw cause;
    }
  }
}

/** True when it is gone. What others changed since the command began stays, and so does a repository that lies in a removed folder. */
async function remove(at: string, child: string, path: string, accepting: Accepting): Promise<boolean> {
  const target = join(at, child);
  const stats = await lstat(target).catch(() => undefined);
  if (stats === undefined) return true;
  if (isGitFolder(child)) {
    accepting.leftOut.push({ path, why: 'repository' });
    return false;
  }
  if (!stats.isDirectory()) {
    if (stats.ctimeMs > accepting.since) {
      accepting.leftOut.push({ path, why: 'changed-meanwhile' });
      return false;
    }
    await unlink(target);
    return true;
  }
  const folder = await openFolder(target);
  let all = true;
  try {
    for (const name of await readdir(folder.at))
      all = (await remove(folder.at, name, join(path, name), accepting)) && all;
  } finally {
    await folder.handle.close();
  }
  if (all) await rmdir(target);
  return all;
}

/**
 * Folders of the draft that hide what was in the real ones: removed and made anew. The kernel notes it where Node can't look, so a
 * mount is asked instead, once, about one name of each.
 */
async function findEmptied({ upper, workingDirectory, stillSeen }: Acceptance): Promise<Set<string>> {
  const asked = new Map<string, string>();
  const walk = async (name: string): Promise<void> => {
    const drafted = await readdir(join(upper, name), { withFileTypes: true });
    const real = await readdir(join(workingDirectory, name)).catch(() => undefined);
    if (real === undefined) return;
    const names = new Set(drafted.map((entry) => entry.name));
    const other = real.find((child) => !names.has(child));
    if (name !== '' && other !== undefined) asked.set(name, join(name, other));
    for (const entry of drafted) if (entry.isDirectory()) await walk(join(name, entry.name));
  };
  await walk('');
  const folders = [...asked.keys()];
  const seen = folders.length === 0 ? [] : await stillSeen([...asked.values()]);
  return new Set(folders.filter((_, index) => seen[index] === false));
}

async function openFolder(path: string): Promise<{ handle: FileHandle; at: string }> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  return { handle, at: `/proc/self/fd/${handle.fd}` };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error ? Reflect.get(error, 'code') : undefined;
}
