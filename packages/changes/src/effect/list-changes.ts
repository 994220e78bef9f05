import { constants } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlannedChange } from '../plan/planned-change.js';
import type { FolderPlan, Step } from '../plan/plan.js';
import { hashDrafted } from './read-content.js';

/** What is at a path after the draft is applied. */
export interface Put {
  readonly do: 'put';
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link';
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Of a file. */
  readonly bytes: number;
  /** SHA-256 of a file's content. Empty for folders and links. */
  readonly hash: string;
  /** Where a link points. */
  readonly target: string;
  /** The first path in the draft that is another name of the same file. */
  readonly sameAs: string;
  /** The version that it replaces; empty if nothing was there. */
  readonly was: string;
}

/** A file or link that is removed, or a folder with everything in it. */
export interface Removal {
  readonly do: 'remove';
  readonly path: string;
  /** Versions of the path itself and of everything below it. */
  readonly was: readonly (readonly [below: string, version: string])[];
}

/** A folder that stays, in which something changes. */
interface Kept {
  readonly do: 'keep';
  readonly path: string;
  readonly was: FolderPlan['was'];
  readonly mode: number;
}

export type Change = Put | Removal | Kept;

/**
 * Everything that a planned draft changes, sorted by path. Reads only the draft, whose writers must be dead. Rejects if the signal aborts: the
 * command chose how much there is to read.
 */
export async function listChanges(
  { plan, upper }: Pick<PlannedChange, 'plan' | 'upper'>,
  signal?: AbortSignal,
): Promise<Change[]> {
  const listing: Listing = { upper, changes: [], seen: new Map(), signal };
  await listFolder(plan, listing);
  return listing.changes.toSorted((a, b) => compare(a.path, b.path) || compare(a.do, b.do));
}

interface Listing {
  readonly upper: string;
  readonly changes: Change[];
  /** Inodes of files with several names, and the first of these names. */
  readonly seen: Map<bigint, string>;
  readonly signal: AbortSignal | undefined;
}

async function listFolder({ path, was, mode, inner, steps }: FolderPlan, listing: Listing): Promise<void> {
  listing.changes.push({ do: 'keep', path, was, mode });
  for (const folder of inner) await listFolder(folder, listing);
  for (const step of steps.toSorted((a, b) => compare(a.name, b.name)))
    await listStep(join(path, step.name), step, listing);
}

async function listStep(path: string, step: Step, listing: Listing): Promise<void> {
  switch (step.kind) {
    case 'remove':
      listing.changes.push({ do: 'remove', path, was: step.was.toSorted(([a], [b]) => compare(a, b)) });
      return;
    case 'replace':
      await put(path, step.was, listing);
      return;
    case 'add':
      await put(path, '', listing);
  }
}

async function put(path: string, was: string, listing: Listing): Promise<void> {
  listing.signal?.throwIfAborted();
  const drafted = join(listing.upper, path);
  const stats = await lstat(drafted, { bigint: true });
  const common = {
    do: 'put',
    path,
    mode: Number(stats.mode) & 0o7777,
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    bytes: 0,
    hash: '',
    target: '',
    sameAs: '',
    was,
  } as const;
  if (stats.isSymbolicLink()) {
    listing.changes.push({ ...common, kind: 'link', target: await readlink(drafted) });
  } else if (stats.isDirectory()) {
    listing.changes.push({ ...common, kind: 'folder' });
    for (const name of (await readdir(drafted)).toSorted(compare)) await put(join(path, name), '', listing);
  } else if (stats.isFile()) {
    const sameAs = stats.nlink > 1n ? (listing.seen.get(stats.ino) ?? '') : '';
    if (stats.nlink > 1n && sameAs === '') listing.seen.set(stats.ino, path);
    listing.changes.push({
      ...common,
      kind: 'file',
      bytes: Number(stats.size),
      hash: await hashDrafted(drafted, listing.signal),
      sameAs,
    });
  } else throw new Error(`the draft contains a device or pipe at ${path}`);
}

/** What a version in a plan says of a path. */
export function readVersion(version: string): { kind: 'file' | 'folder' | 'link'; mode: number; bytes: number } {
  const [, , mode = 0, bytes = 0, changed] = version.split(' ').map(Number);
  if (changed === undefined) return { kind: 'folder', mode: mode & 0o7777, bytes: 0 };
  const isLink = (mode & constants.S_IFMT) === constants.S_IFLNK;
  return { kind: isLink ? 'link' : 'file', mode: mode & 0o7777, bytes };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
