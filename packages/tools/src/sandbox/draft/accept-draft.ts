import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, readdir, rmdir, unlink, type FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isGitFolder, isGitSetting, looksLikeRepository, runsByItself } from '../runs-later/runs-later.js';
import { isSince, type DiskMoment } from './disk-clock.js';
import { DraftConflict } from './draft-conflict.js';
import { findEmptied, type StillSeen } from './find-emptied.js';
import type { LeftOut } from './inspect/left-out.js';
import { codeOf, moveNew, moveOver, type Move } from './move.js';
import { isWhiteout } from './inspect/why-left-out.js';

/** Everything needed to apply an inspected draft to the working folder. */
export interface Acceptance {
  readonly upper: string;
  readonly workingDirectory: string;
  /** A moment before the command started. Later changes by others conflict with the command's changes. */
  readonly since: DiskMoment;
  readonly stillSeen: StillSeen;
  /** Whether another draft has removed a path since then. */
  readonly wasRemoved: (path: string) => boolean;
  /** Set if a new file was left out that may be a renamed one. Removals are then skipped, because the file's content would be lost. */
  readonly keepRemoved: boolean;
  /** Called with the paths to remove, before any is removed. */
  readonly removing: (paths: readonly string[]) => Promise<void>;
}

/**
 * Applies all of a command's changes, or none: rejects with `DraftConflict` if someone else changed one of its paths
 * since it started. Each name is replaced atomically. Follows no symlinks on either side.
 */
export async function acceptDraft(acceptance: Acceptance): Promise<LeftOut[]> {
  const { upper } = acceptance;
  if ((await readdir(upper)).length === 0) return [];
  const emptied = await findEmptied(acceptance);
  const check = await pass('check', acceptance, emptied);
  if (check.conflicts.length > 0) throw new DraftConflict(check.conflicts, []);
  await acceptance.removing(check.done);
  const { leftOut } = await pass('apply', acceptance, emptied);
  return leftOut;
}

interface Pass extends Acceptance {
  /** Both passes walk in the same way; `check` changes nothing. */
  readonly kind: 'check' | 'apply';
  /** Folders that were removed and recreated: their entries that are not in the draft no longer exist. */
  readonly emptied: ReadonlySet<string>;
  readonly leftOut: LeftOut[];
  readonly conflicts: string[];
  /** `check`: paths to remove. `apply`: paths that were changed. */
  readonly done: string[];
  /** Inodes of hard-linked files that we changed, which also updates the change time of their other names. */
  readonly touched: Set<bigint>;
}

async function pass(kind: Pass['kind'], acceptance: Acceptance, emptied: ReadonlySet<string>): Promise<Pass> {
  const now: Pass = { ...acceptance, kind, emptied, leftOut: [], conflicts: [], done: [], touched: new Set() };
  const root = await openFolder(acceptance.workingDirectory);
  try {
    await acceptFolder({ upper: acceptance.upper, at: root.at, name: '' }, now);
    return now;
  } finally {
    await root.handle.close();
  }
}

/** The check collects conflicts; a conflict found while applying stops the rest. */
function conflict(path: string, now: Pass): void {
  if (now.kind === 'apply') throw new DraftConflict([path], now.done);
  now.conflicts.push(path);
}

interface Folder {
  readonly upper: string;
  /** Path of the real folder through an open descriptor, which no rename or symlink can redirect. */
  readonly at: string;
  readonly name: string;
}

async function acceptFolder({ upper, at, name }: Folder, now: Pass): Promise<void> {
  const names = await readdir(upper);
  if (now.emptied.has(name)) await removeOthers({ upper, at, name }, new Set(names), now);
  for (const child of names) {
    const draft = { upper: join(upper, child), at, child, path: join(name, child) };
    const stats = await lstat(draft.upper);
    if (isWhiteout(stats)) await removeWhole(draft, now);
    else if (stats.isDirectory()) await acceptSubfolder(draft, stats.mode & 0o7777, now);
    else await acceptFile(draft, now);
  }
}

/** Removes the old content of a recreated folder, except entries that no command may remove. */
async function removeOthers({ at, name }: Folder, names: ReadonlySet<string>, now: Pass): Promise<void> {
  const real = await readdir(at);
  const isRepository = isGitFolder(basename(name)) || looksLikeRepository(real);
  for (const child of real.filter((other) => !names.has(other))) {
    const path = join(name, child);
    if (isRepository ? isGitSetting(child) : runsByItself(path)) now.leftOut.push({ path, why: 'runs-later' });
    else await removeWhole({ at, child, path }, now);
  }
}

interface Draft extends Move {
  readonly path: string;
}

async function acceptSubfolder(draft: Draft, mode: number, now: Pass): Promise<void> {
  const there = await find(draft);
  if (there === undefined) return await acceptNew(draft, now);
  if (!there.isDirectory()) {
    if (await removeWhole(draft, now)) await acceptNew(draft, now, 'replaced');
    return;
  }
  const isOther = (Number(there.mode) & 0o7777) !== mode;
  // It is unknown which side changed the permissions.
  if (now.kind === 'check' && isOther && isSince(there.ctimeNs, now.since)) conflict(draft.path, now);
  const real = await openFolder(join(draft.at, draft.child));
  try {
    const wasClosed = await unlock(real.handle, there, now);
    await acceptFolder({ upper: draft.upper, at: real.at, name: draft.path }, now);
    if (now.kind === 'apply' && (isOther || wasClosed)) await real.handle.chmod(mode);
  } finally {
    await real.handle.close();
  }
}

/**
 * Makes a read-only folder writable: the command could `chmod` it and change its content, so we have to do the same. Returns true if it was
 * read-only.
 */
async function unlock(folder: FileHandle, { mode }: BigIntStats, now: Pass): Promise<boolean> {
  const rights = Number(mode) & 0o7777;
  if (now.kind === 'check' || (rights & 0o300) === 0o300) return false;
  await folder.chmod(rights | 0o300);
  return true;
}

async function acceptFile(draft: Draft, now: Pass): Promise<void> {
  const there = await find(draft);
  if (there === undefined) return await acceptNew(draft, now);
  if (there.isDirectory()) {
    if (await removeWhole(draft, now)) await acceptNew(draft, now, 'replaced');
    return;
  }
  if (isTheirs(there, now)) return conflict(draft.path, now);
  if (now.kind === 'check') return;
  touch(there, now);
  const unchanged = async (): Promise<boolean> => isSame(there, await find(draft));
  if (!(await moveOver(draft, unchanged))) return conflict(draft.path, now);
  now.done.push(draft.path);
}

/** Applies a change at a path where nothing exists. Someone may have removed what the command changed. */
async function acceptNew(draft: Draft, now: Pass, how: 'new' | 'replaced' = 'new'): Promise<void> {
  if (now.kind === 'check') {
    if (how === 'new' && now.wasRemoved(draft.path)) conflict(draft.path, now);
    return;
  }
  if (!(await moveNew(draft))) return conflict(draft.path, now);
  now.done.push(draft.path);
}

async function find({ at, child }: Pick<Draft, 'at' | 'child'>): Promise<BigIntStats | undefined> {
  return await lstat(join(at, child), { bigint: true }).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
}

function isSame(one: BigIntStats, other: BigIntStats | undefined): boolean {
  return other !== undefined && one.ino === other.ino && one.ctimeNs === other.ctimeNs && one.mtimeNs === other.mtimeNs;
}

function isTheirs({ ctimeNs, ino }: BigIntStats, { since, touched }: Pass): boolean {
  return isSince(ctimeNs, since) && !touched.has(ino);
}

function touch({ nlink, ino }: BigIntStats, now: Pass): void {
  if (now.kind === 'apply' && nlink > 1n) now.touched.add(ino);
}

type Removal = Pick<Draft, 'at' | 'child' | 'path'>;

async function removeWhole(draft: Removal, now: Pass): Promise<boolean> {
  if ((await find(draft)) === undefined) return true;
  if (now.keepRemoved && !draft.path.split('/').some(isGitFolder)) {
    now.leftOut.push({ path: draft.path, why: 'kept' });
    return false;
  }
  const isGone = await remove(draft, now);
  now.done.push(draft.path);
  return isGone;
}

/**
 * Returns true if the path is removed, or would be. Changes by others since the start are conflicts; repositories in a removed folder are kept.
 */
async function remove({ at, child, path }: Removal, now: Pass): Promise<boolean> {
  const target = join(at, child);
  const there = await find({ at, child });
  if (there === undefined) return true;
  if (isGitFolder(child)) {
    now.leftOut.push({ path, why: 'repository' });
    return false;
  }
  if (isTheirs(there, now)) {
    conflict(path, now);
    return false;
  }
  if (!there.isDirectory()) {
    touch(there, now);
    if (now.kind === 'apply') await unlink(target);
    return true;
  }
  const folder = await openFolder(target);
  let all = true;
  try {
    await unlock(folder.handle, there, now);
    for (const name of await readdir(folder.at))
      all = (await remove({ at: folder.at, child: name, path: join(path, name) }, now)) && all;
  } finally {
    await folder.handle.close();
  }
  if (all && now.kind === 'apply' && !(await removeEmpty(target))) conflict(path, now);
  return all;
}

/** Returns false if the folder is no longer empty. */
async function removeEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function openFolder(path: string): Promise<{ handle: FileHandle; at: string }> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  return { handle, at: `/proc/self/fd/${handle.fd}` };
}
