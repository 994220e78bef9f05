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

/** What is needed to put an inspected draft into the working folder. */
export interface Acceptance {
  readonly upper: string;
  readonly workingDirectory: string;
  /** Before the command began. What others changed since is theirs, and conflicts with what the command changed. */
  readonly since: DiskMoment;
  readonly stillSeen: StillSeen;
  /** Whether another draft has removed a path since then. */
  readonly wasRemoved: (path: string) => boolean;
  /** A new file was left out, and may be one of those that the command removed: none is removed then, or its content would be lost. */
  readonly keepRemoved: boolean;
  /** Told what is about to be removed, before anything is. */
  readonly removing: (paths: readonly string[]) => Promise<void>;
}

/**
 * Puts what a command wrote where it belongs, all of it or, when somebody else changed one of its paths since the command began,
 * nothing: then it rejects with `DraftConflict`. Each name changes in one step. Follows no link, on either side.
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
  /** Both passes walk the same way; `check` changes nothing. */
  readonly kind: 'check' | 'apply';
  /** Folders that were removed and made anew: what is not in the draft of them is gone. */
  readonly emptied: ReadonlySet<string>;
  readonly leftOut: LeftOut[];
  readonly conflicts: string[];
  /** `check`: what is to be removed. `apply`: what has been changed. */
  readonly done: string[];
  /** Hard-linked files that we changed under one name: that alone gives their other names a new change time. */
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

/** Found by the check it is one of a list; found later it stops the rest. */
function conflict(path: string, now: Pass): void {
  if (now.kind === 'apply') throw new DraftConflict([path], now.done);
  now.conflicts.push(path);
}

interface Folder {
  readonly upper: string;
  /** An open folder of the real ones: no rename or link leads elsewhere. */
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

/** What was in a folder that was removed and made anew, except what a command may not remove by its own name either. */
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
  // Nobody can tell which of the two changed its rights.
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

/** The command could change what is in a read-only folder, after it had opened it by `chmod`; so must we. True: it was closed. */
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

/** Where nothing is now. Somebody may have removed what the command changed. */
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

type Doomed = Pick<Draft, 'at' | 'child' | 'path'>;

async function removeWhole(draft: Doomed, now: Pass): Promise<boolean> {
  if ((await find(draft)) === undefined) return true;
  if (now.keepRemoved && !draft.path.split('/').some(isGitFolder)) {
    now.leftOut.push({ path: draft.path, why: 'kept' });
    return false;
  }
  const isGone = await remove(draft, now);
  now.done.push(draft.path);
  return isGone;
}

/** True when it is gone, or would be. What others changed since the command began conflicts; a repository in a removed folder stays. */
async function remove({ at, child, path }: Doomed, now: Pass): Promise<boolean> {
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

/** False: somebody has put something into it. */
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
