import type { BigIntStats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isGitFolder, isGitSetting, looksLikeRepository, runsByItself } from '../runs-later/runs-later.js';
import { isSince, type DiskMoment } from '../files/disk-clock.js';
import { ChangeConflict } from './change-conflict.js';
import { layerReader, type LayerReader } from './layer-entries.js';
import { isEscaped, readNames, showPath } from '../files/file-names.js';
import { isSame } from './is-same.js';
import { findEmptied, type StillSeen } from './find-emptied.js';
import type { LeftOut } from '../inspect/left-out.js';
import { find, openFolder } from '../files/open-folder.js';
import { folderIdOf, removedVersionOf, versionOf, type FolderPlan, type Step } from './plan.js';

/** An inspected draft, and what is needed to find conflicts with changes by others. */
export interface LayerToPlan {
  readonly upper: string;
  readonly workingDirectory: string;
  /** A moment before the command started. Later changes by others conflict with the command's changes. */
  readonly since: DiskMoment;
  readonly stillSeen: StillSeen;
  /** Whether another draft has removed a path since then. */
  readonly wasRemoved: (path: string) => boolean;
  /** Set if a new file was left out that may be a renamed one. Removals are then skipped, because the file's content would be lost. */
  readonly keepRemoved: boolean;
  /** Paths that we have changed back since then, and their versions (`readRestored`). */
  readonly restored?: ReadonlyMap<string, string> | undefined;
  /** Set if files that are the same on both sides are no change, no matter who wrote them. */
  readonly skipsSame?: true | undefined;
}

/**
 * Lists what a draft changes in the working folder, and what is left out. Rejects with `ChangeConflict` if someone else changed one of its
 * paths since the command started. Changes nothing, and follows no symlinks on either side.
 */
export async function planLayer(changes: LayerToPlan): Promise<{ plan: FolderPlan; leftOut: LeftOut[] }> {
  const emptied = await findEmptied(changes);
  const reader = await layerReader(changes.upper);
  const now: Planning = { ...changes, emptied, reader, leftOut: [], conflicts: [], count: 0 };
  const { workingDirectory } = changes;
  const { handle, at } = await openFolder(workingDirectory);
  try {
    const was = folderIdOf(await handle.stat({ bigint: true }));
    const plan = await planFolder({ upper: changes.upper, at, path: '' }, was, was.mode, now);
    if (now.conflicts.length > 0) throw new ChangeConflict(now.conflicts);
    return { plan, leftOut: now.leftOut };
  } finally {
    await handle.close();
  }
}

interface Planning extends LayerToPlan {
  readonly reader: LayerReader;
  /** Folders that were removed and recreated: their entries that are not in the draft no longer exist. */
  readonly emptied: ReadonlySet<string>;
  readonly leftOut: LeftOut[];
  readonly conflicts: string[];
  count: number;
}

interface Folder {
  readonly upper: string;
  /** Path of the real folder through an open descriptor. */
  readonly at: string;
  readonly path: string;
}

type Change = { kind: 'add' } | { kind: 'replace'; was: string } | { kind: 'remove'; was: [string, string][] };

function step(folder: FolderPlan, name: string, change: Change, now: Planning): void {
  folder.steps.push({ id: now.count, name, ...change } satisfies Step);
  now.count += 1;
}

async function planFolder(
  { upper, at, path }: Folder,
  was: FolderPlan['was'],
  mode: number,
  now: Planning,
): Promise<FolderPlan> {
  const plan: FolderPlan = { path, was, mode, inner: [], steps: [] };
  const names = await readdir(upper);
  if (now.emptied.has(path)) await planOthers(plan, at, new Set(names), now);
  for (const name of names) {
    const entry: Entry = { plan, at, name, path: join(path, name) };
    const drafted = join(upper, name);
    const stats = await lstat(drafted, { bigint: true });
    const kind = now.reader.kindOf(stats);
    const there = await find(join(at, name));
    if (kind === 'removal') await planRemoval(entry, there, now);
    else if (there === undefined) {
      // A removal in a folder shows that someone else has removed the folder.
      const isGone = kind === 'folder' && (await holdsRemoval(drafted, now.reader));
      if (isGone || now.wasRemoved(entry.path)) now.conflicts.push(entry.path);
      step(plan, name, { kind: 'add' }, now);
    } else if (kind === 'folder' && there.isDirectory()) {
      await planSubfolder(entry, there, { upper: drafted, mode: Number(stats.mode) & 0o7777 }, now);
    } else if (kind === 'folder' || there.isDirectory()) {
      if (await planRemoval(entry, there, now)) step(plan, name, { kind: 'add' }, now);
    } else {
      const here = { path: join(at, name), stats: there };
      if (now.skipsSame === true && (await isSame({ path: drafted, stats }, here))) continue;
      if (isTheirs(entry.path, there, now)) now.conflicts.push(entry.path);
      step(plan, name, { kind: 'replace', was: versionOf(there) }, now);
    }
  }
  return plan;
}

/** Removes the old content of a recreated folder, except entries that no command may remove. */
async function planOthers(plan: FolderPlan, at: string, names: ReadonlySet<string>, now: Planning): Promise<void> {
  const real = await readNames(at);
  const isRepository = isGitFolder(basename(plan.path)) || looksLikeRepository(real);
  for (const name of real.filter((other) => !names.has(other))) {
    const path = join(plan.path, name);
    if (isEscaped(name)) now.leftOut.push({ path: showPath(path), why: 'name' });
    else if (isRepository ? isGitSetting(name) : runsByItself(path)) now.leftOut.push({ path, why: 'runs-later' });
    else await planRemoval({ plan, at, name, path }, await find(join(at, name)), now);
  }
}

interface Entry {
  /** Of the folder that it is in. */
  readonly plan: FolderPlan;
  readonly at: string;
  readonly name: string;
  readonly path: string;
}

async function planSubfolder(
  { plan, at, name, path }: Entry,
  there: BigIntStats,
  { upper, mode }: { upper: string; mode: number },
  now: Planning,
): Promise<void> {
  const was = folderIdOf(there);
  // It is unknown which side changed the permissions.
  if (was.mode !== mode && isTheirs(path, there, now)) now.conflicts.push(path);
  const real = await openFolder(join(at, name));
  try {
    plan.inner.push(await planFolder({ upper, at: real.at, path }, was, mode, now));
  } finally {
    await real.handle.close();
  }
}

/** Returns true if the path will be gone. */
async function planRemoval(entry: Entry, there: BigIntStats | undefined, now: Planning): Promise<boolean> {
  if (there === undefined) return true;
  if (now.keepRemoved && !entry.path.split('/').some(isGitFolder)) {
    now.leftOut.push({ path: entry.path, why: 'kept' });
    return false;
  }
  return await remove(entry, there, now);
}

/** A folder that contains a repository is emptied around it. Otherwise, everything is removed in one step. */
async function remove({ plan, at, name, path }: Entry, there: BigIntStats, now: Planning): Promise<boolean> {
  if (isGitFolder(name)) {
    now.leftOut.push({ path, why: 'repository' });
    return false;
  }
  const was: [string, string][] = [['', removedVersionOf(there)]];
  if (isTheirs(path, there, now)) {
    now.conflicts.push(path);
    return false;
  }
  if (there.isDirectory()) {
    const folder = await openFolder(join(at, name));
    try {
      const id = folderIdOf(there);
      const inner: FolderPlan = { path, was: id, mode: id.mode, inner: [], steps: [] };
      let all = true;
      for (const child of await readNames(folder.at)) {
        const stats = await find(join(folder.at, child));
        const entry = { plan: inner, at: folder.at, name: child, path: join(path, child) };
        if (stats !== undefined) all = (await remove(entry, stats, now)) && all;
      }
      if (!all) {
        plan.inner.push(inner);
        return false;
      }
      for (const { name: child, ...gone } of inner.steps)
        if (gone.kind === 'remove') for (const [below, version] of gone.was) was.push([join(child, below), version]);
    } finally {
      await folder.handle.close();
    }
  }
  step(plan, name, { kind: 'remove', was }, now);
  return true;
}

async function holdsRemoval(folder: string, reader: LayerReader): Promise<boolean> {
  for (const { name, kind } of await reader.read(folder)) {
    if (kind === 'removal') return true;
    if (kind === 'folder' && (await holdsRemoval(join(folder, name.toString()), reader))) return true;
  }
  return false;
}

function isTheirs(path: string, there: BigIntStats, { since, restored }: Planning): boolean {
  return isSince(there.ctimeNs, since) && restored?.get(path) !== versionOf(there);
}
