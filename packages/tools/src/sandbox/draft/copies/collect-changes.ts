import { chmodSync, lchownSync, lstatSync, mkdirSync, readdirSync, renameSync, type BigIntStats } from 'node:fs';
import { LONGEST_PATH, inSlices } from '@countersign/changes';
import type { CopiedFolder } from './copy-folder.js';
import { entryVersion } from './entry-version.js';
import { InexactCopy } from './inexact-copies.js';
import { bytesOf, join, keyOf } from './paths.js';

interface Changed {
  readonly copy: string;
  /** An empty folder on the same disk. */
  readonly upper: string;
  readonly copied: CopiedFolder;
  /** See `CopyOptions`. */
  readonly hidden: ReadonlySet<string>;
  /** Marks a path in `upper` as removed. */
  readonly markRemoved: (path: Buffer) => void;
}

/**
 * Moves what a command changed in a copy to `upper`, in the form that an overlay has: changed and new entries, and a marker for each removed one. All
 * writers must be dead.
 */
export async function collectChanges(changed: Changed): Promise<void> {
  const top = Buffer.from(changed.upper);
  // The command may have made it unreadable. Its mode is never applied.
  chmodSync(changed.copy, 0o700);
  await collect({ path: Buffer.alloc(0), upper: top, make: () => undefined }, changed);
}

interface Folder {
  /** Relative to the working folder. */
  readonly path: Buffer;
  readonly upper: Buffer;
  /** Creates the folder in `upper` if it isn't there yet. */
  readonly make: () => void;
}

async function collect({ path, upper, make }: Folder, changed: Changed): Promise<void> {
  const { copied, hidden, markRemoved } = changed;
  const top = Buffer.from(changed.copy);
  const here = path.length === 0 ? top : join(top, path);
  const versions = copied.folders.get(keyOf(path)) ?? new Map<string, string>();
  const found = new Set<string>();
  const folders: { inner: Folder; stats: BigIntStats; isMade: () => boolean }[] = [];
  await inSlices(readdirSync(here, { encoding: 'buffer' }), (name) => {
    const key = keyOf(name);
    const entry = { at: join(here, name), path: join(path, name), upper: join(upper, name) };
    found.add(key);
    if (hidden.has(keyOf(entry.path))) return;
    const stats = lstatSync(entry.at, { bigint: true });
    const was = versions.get(key);
    const isSame = was === entryVersion(stats);
    if (stats.isDirectory()) chmodSync(entry.at, (Number(stats.mode) & 0o7777) | 0o700);
    if (stats.isDirectory() && copied.folders.has(keyOf(entry.path))) {
      const folder = lazyFolder(entry, make);
      const original = copied.inexact.find(stats);
      if (original !== undefined && (!isSame || original !== keyOf(entry.path))) throw new InexactCopy(entry.path);
      if (!isSame) folder.inner.make();
      folders.push({ ...folder, stats });
    } else if (!isSame) {
      checkExact(entry, stats, copied);
      make();
      renameSync(entry.at, entry.upper);
    }
  });
  for (const { inner, stats, isMade } of folders) {
    await collect(inner, changed);
    if (isMade()) finish(inner.upper, stats);
  }
  for (const key of versions.keys()) {
    if (found.has(key)) continue;
    make();
    markRemoved(join(upper, bytesOf(key)));
  }
}

interface Entry {
  readonly at: Buffer;
  readonly path: Buffer;
  readonly upper: Buffer;
}

function lazyFolder({ path, upper }: Entry, makeParent: () => void): { inner: Folder; isMade: () => boolean } {
  let made = false;
  const make = (): void => {
    if (made) return;
    makeParent();
    mkdirSync(upper, 0o700);
    made = true;
  };
  return { inner: { path, upper, make }, isMade: () => made };
}

function checkExact({ at, path }: Pick<Entry, 'at' | 'path'>, stats: BigIntStats, copied: CopiedFolder): void {
  if (copied.inexact.isEmpty()) return;
  if (copied.inexact.find(stats) !== undefined) throw new InexactCopy(path);
  // Deeper entries are never applied and can't be opened by path.
  if (!stats.isDirectory() || path.length >= LONGEST_PATH) return;
  chmodSync(at, (Number(stats.mode) & 0o7777) | 0o700);
  for (const name of readdirSync(at, { encoding: 'buffer' })) {
    const entry = { at: join(at, name), path: join(path, name) };
    checkExact(entry, lstatSync(entry.at, { bigint: true }), copied);
  }
}

function finish(path: Buffer, { uid, gid, mode }: BigIntStats): void {
  const made = lstatSync(path, { bigint: true });
  if (made.uid !== uid || made.gid !== gid) lchownSync(path, Number(uid), Number(gid));
  chmodSync(path, Number(mode) & 0o7777);
}
