import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openFolder } from './open-inside.js';

/** Limits one walk, so that it also ends on a disk full of files. */
const MAX_ENTRIES = 200_000;
/** Generated content; searched only if the path names it. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git']);

export interface WalkedEntry {
  /** Relative to the working folder. */
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** False for a folder that is never entered, regardless of depth. */
  readonly entered: boolean;
}

export interface Walk {
  /** 1 means that only the folder itself is listed. */
  depth: number;
  hidden: boolean;
  /** Absolute paths that a rule withholds from this call: neither listed nor entered (RULE1). */
  withheld?: ((path: string) => boolean) | undefined;
  signal: AbortSignal;
}

/** The number of entries that a walk may still visit, and what it omitted. */
export interface WalkCounter {
  left: number;
  withheld: number;
}

export function walkCounter(): WalkCounter {
  return { left: MAX_ENTRIES, withheld: 0 };
}

/** Says that something was omitted, but not what. */
export function noteOfWithheld({ withheld }: WalkCounter): readonly string[] {
  if (withheld === 0) return [];
  const names = withheld === 1 ? '1 name was' : `${withheld} names were`;
  return [`${names} omitted, because a rule denies access or requires approval`];
}

/** The entries below a folder, in order. Follows no symlinks; skips folders that disappear or can't be read. */
export async function* walkFolder(
  workingDirectory: string,
  written: string,
  walk: Walk,
  counter: WalkCounter = walkCounter(),
): AsyncGenerator<WalkedEntry, void> {
  walk.signal.throwIfAborted();
  const folder = await openFolder(workingDirectory, written);
  let entries;
  try {
    entries = await readdir(folder.at, { withFileTypes: true });
  } finally {
    await folder.handle.close();
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (!walk.hidden && entry.name.startsWith('.')) continue;
    counter.left -= 1;
    if (counter.left < 0) return;
    const name = folder.name === '.' ? entry.name : join(folder.name, entry.name);
    if (walk.withheld?.(join(workingDirectory, name)) === true) {
      counter.withheld += 1;
      continue;
    }
    const entered = entry.isDirectory() && !SKIPPED.has(entry.name);
    const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'other';
    yield { name, kind, entered };
    if (!entered || walk.depth <= 1) continue;
    const below = walkFolder(workingDirectory, name, { ...walk, depth: walk.depth - 1 }, counter);
    try {
      yield* below;
    } catch (error) {
      if (walk.signal.aborted) throw error;
    }
  }
}
