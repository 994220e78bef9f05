import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openFolder } from './open-inside.js';

/** Looked at in one walk at most, so that a disk full of files ends too. */
const MOST_ENTRIES = 200_000;
/** Full of files that nobody wrote; looked into only when named. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git']);

export interface WalkedEntry {
  /** From the working folder. */
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** False for a folder that is not gone into, whatever the depth. */
  readonly entered: boolean;
}

export interface Walk {
  /** 1: only what is in the folder itself. */
  depth: number;
  hidden: boolean;
  /** What a rule keeps from this call, by absolute path: neither shown nor gone into (A19). */
  withheld?: ((path: string) => boolean) | undefined;
  signal: AbortSignal;
}

/** What a walk may still look at, and what it had to leave out. */
export interface WalkCounter {
  left: number;
  withheld: number;
}

export function walkCounter(): WalkCounter {
  return { left: MOST_ENTRIES, withheld: 0 };
}

/** Says that there is more than is shown, and not what. */
export function noteOfWithheld({ withheld }: WalkCounter): readonly string[] {
  return withheld === 0 ? [] : [`${withheld} names were left out, because a rule denies or asks about them`];
}

/** What is below a folder, in order, links not followed. A folder that goes away or can't be read is passed over. */
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
