import {
  closeSync,
  chmodSync,
  fstatSync,
  lchownSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  writeFileSync,
  type BigIntStats,
} from 'node:fs';
import { LONGEST_PATH, inSlices } from '@countersign/changes';
import type { DraftLimits } from '../draft-limits.js';
import { copyFile, copyLargeFile, copyLink, openFolder, tryOpen } from './copy-entry.js';
import type { BeforeOpen, Copied, Entry } from './copy-entry.js';
import { entryVersion } from './entry-version.js';
import { FolderTooLarge } from './folder-too-large.js';
import type { InexactCopies } from './inexact-copies.js';
import { join, keyOf } from './paths.js';

/** What a copy contained before the command ran. */
export interface CopiedFolder {
  /** The names in each folder, with their versions. Paths and names are bytes as Latin-1 text. */
  readonly folders: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly inexact: InexactCopies;
  readonly bytes: number;
  readonly files: number;
}

interface CopyOptions {
  readonly inexact: InexactCopies;
  /** Paths relative to the folder that the command must not see. Their content isn't copied. */
  readonly hidden: ReadonlySet<string>;
  readonly limits: DraftLimits;
  readonly signal?: AbortSignal | undefined;
  readonly beforeOpen?: BeforeOpen | undefined;
}

interface Copying extends CopyOptions {
  readonly folders: Map<string, Map<string, string>>;
  bytes: number;
  files: number;
}

/**
 * Copies a folder into the empty private folder `to`. Other programs may write to the original meanwhile, so it is read only through open folders
 * and never through a symlink that replaced something. Rejects with `FolderTooLarge`.
 */
export async function copyFolder(from: string, to: string, options: CopyOptions): Promise<CopiedFolder> {
  const now: Copying = { ...options, folders: new Map(), bytes: 0, files: 0 };
  const source = openFolder(Buffer.from(from));
  try {
    const top = { to: Buffer.from(to), path: Buffer.alloc(0) };
    await copyEntries({ source, ...top }, now);
    finish(top, fstatSync(source, { bigint: true }), now);
  } finally {
    closeSync(source);
  }
  return now;
}

interface Folder {
  /** An open descriptor of the original. */
  readonly source: number;
  readonly to: Buffer;
  /** Relative to the working folder. */
  readonly path: Buffer;
}

/** Larger files, in bytes, would block the event loop. */
const LARGE = 1024 ** 2;

async function copyEntries({ source, to, path }: Folder, now: Copying): Promise<void> {
  const versions = new Map<string, string>();
  now.folders.set(keyOf(path), versions);
  const at = Buffer.from(`/proc/self/fd/${source}`);
  const folders: { name: Buffer; entry: Entry; stats: BigIntStats }[] = [];
  const large: typeof folders = [];
  const note = (name: Buffer, copy: Buffer): void =>
    void versions.set(keyOf(name), entryVersion(lstatSync(copy, { bigint: true })));
  await inSlices(readdirSync(at, { encoding: 'buffer' }), (name) => {
    now.signal?.throwIfAborted();
    const entry = { from: join(at, name), to: join(to, name), path: join(path, name) };
    if (now.hidden.has(keyOf(entry.path))) return coverHidden(entry);
    const stats = lstatSync(entry.from, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return;
    count(entry, stats, now);
    if (stats.isDirectory()) folders.push({ name, entry, stats });
    else if (stats.isFile() && stats.size > LARGE) large.push({ name, entry, stats });
    else if (finishCopy(entry, copySmall(entry, stats, now), stats, now)) note(name, entry.to);
  });
  for (const { name, entry, stats } of large) {
    now.signal?.throwIfAborted();
    if (finishCopy(entry, await copyLargeFile(entry, now.beforeOpen), stats, now)) note(name, entry.to);
  }
  // Later, so that few folders are open at the same time.
  for (const { name, entry, stats } of folders) {
    if (await copySubfolder(entry, stats, now)) note(name, entry.to);
  }
}

function count({ path }: Entry, stats: BigIntStats, now: Copying): void {
  now.files += 1;
  if (stats.isFile()) now.bytes += Number(stats.size);
  if (now.files > now.limits.files || now.bytes > now.limits.bytes) throw new FolderTooLarge(now.limits);
  if (path.length >= LONGEST_PATH) throw new Error('nothing ran: a path in the working folder is too long to copy');
}

/** A mount covers it while the command runs. */
function coverHidden({ from, to }: Entry): void {
  if (lstatSync(from, { throwIfNoEntry: false })?.isDirectory() === true) mkdirSync(to, 0o700);
  else writeFileSync(to, '', { mode: 0o600, flag: 'wx' });
}

/** Returns whether there is a copy, like `finishCopy`. */
async function copySubfolder(entry: Entry, stats: BigIntStats, now: Copying): Promise<boolean> {
  now.beforeOpen?.(entry.path.toString());
  const source = tryOpen(() => openFolder(entry.from));
  if (source === 'gone') return false;
  mkdirSync(entry.to, 0o700);
  if (source === 'unreadable') {
    now.folders.set(keyOf(entry.path), new Map());
    finish(entry, stats, now);
    now.inexact.add(entry);
    return true;
  }
  try {
    await copyEntries({ source, to: entry.to, path: entry.path }, now);
    finish(entry, fstatSync(source, { bigint: true }), now);
    return true;
  } finally {
    closeSync(source);
  }
}

function copySmall(entry: Entry, stats: BigIntStats, { beforeOpen }: Copying): Copied {
  if (stats.isSymbolicLink()) return copyLink(entry);
  return stats.isFile() ? copyFile(entry, beforeOpen) : 'unreadable';
}

/** Returns whether there is a copy: the original may be gone. */
function finishCopy(entry: Entry, copied: Copied, stats: BigIntStats, now: Copying): boolean {
  if (copied === 'gone') return false;
  if (copied === 'unreadable') writeFileSync(entry.to, '', { mode: 0o600, flag: 'wx' });
  finish(entry, stats, now);
  if (copied === 'unreadable') now.inexact.add(entry);
  return true;
}

/** Only we can reach the copy, so its path leads to it. */
function finish(
  copy: Pick<Entry, 'to' | 'path'>,
  { uid, gid, mode, atimeNs, mtimeNs }: BigIntStats,
  { inexact }: Copying,
): void {
  const made = lstatSync(copy.to, { bigint: true });
  let isOurs = false;
  if (made.uid !== uid || made.gid !== gid) {
    try {
      lchownSync(copy.to, Number(uid), Number(gid));
    } catch {
      isOurs = true;
    }
  }
  if (!made.isSymbolicLink()) chmodSync(copy.to, Number(mode) & 0o7777);
  lutimesSync(copy.to, toSeconds(atimeNs), toSeconds(mtimeNs));
  if (isOurs) inexact.add(copy);
}

/** Node rounds down to microseconds, and a fraction would be rounded to the one before. */
function toSeconds(ns: bigint): number {
  return (Number(ns / 1_000n) + 0.5) / 1e6;
}
