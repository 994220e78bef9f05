import { readdirSync, realpathSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ProtectedPaths } from '@countersign/core/ports';
import { isInside } from '../files/is-inside.js';
import { isFolder, realPath } from '../files/probe.js';

/** Looked at before a command at most. More, and it is said that a rule has to be narrower. */
const MOST_ENTRIES = 300_000;
/** Each costs a mount. */
const MOST_KEPT = 1_000;
/** Looked into in one go: asked one by one without waiting, each folder would cost several times as much. */
const AT_ONCE = 200;

export interface Search {
  /** The folders a program is let into: all in them is looked at. Real paths. */
  readonly areas: readonly string[];
  /** Shown in a hidden place, and as large as the system: only rules that say where their path begins are about them. Real paths. */
  readonly openings?: readonly string[];
  /** What it does not see anyway. */
  readonly isHidden: (path: string) => boolean;
}

/**
 * The real paths of what rules keep from a program, as it lies on the disk now. Throws, in words for a person, where not all of it
 * can be found: then the program must not run.
 */
export async function findProtected(
  protectedPaths: ProtectedPaths,
  { areas, openings = [], isHidden }: Search,
): Promise<string[]> {
  const found = new Set<string>();
  let left = MOST_ENTRIES;
  let read = 0;

  async function walk(shown: string, real: string, where: 'inside' | 'outside'): Promise<void> {
    read += 1;
    if (read % AT_ONCE === 0) await setImmediate();
    for (const entry of entriesOf(real)) {
      left -= 1;
      if (left < 0) throw tooMuch(`more than ${MOST_ENTRIES} files would have to be looked at`);
      // As it is written, and not where it leads: rules are written so.
      const path = join(shown, entry.name);
      if (where === 'outside' && (isHidden(path) || areas.includes(path))) continue;
      if (protectedPaths.isProtected(path)) take(join(real, entry.name), entry);
      else await enter(path, join(real, entry.name), entry, where);
    }
  }

  async function enter(shown: string, real: string, entry: Dirent, where: 'inside' | 'outside'): Promise<void> {
    if (!entry.isDirectory() && !entry.isSymbolicLink()) return;
    const holds = protectedPaths.mayHold(shown, where);
    if (holds === 'nothing') return;
    if (entry.isDirectory()) await walk(shown, real, where);
    // A link that a rule's path leads over. Others need not be followed: where they lead is looked at under its own name.
    else if (holds === 'fixed' && isFolder(real)) await walk(shown, realpathSync(real), where);
  }

  function take(path: string, entry: Dirent): void {
    const real = realPath(path);
    if (real === undefined && !entry.isSymbolicLink()) throw tooMuch(`${JSON.stringify(path)} can't be named`);
    if (real === undefined || isHidden(real)) return;
    found.add(real);
    if (found.size > MOST_KEPT) throw tooMuch(`more than ${MOST_KEPT} files and folders would have to be hidden`);
  }

  for (const area of areas) await walk(area, area, 'inside');
  if (protectedPaths.mayHold('/', 'outside') !== 'nothing') await walk('/', '/', 'outside');
  for (const opening of openings) {
    if (protectedPaths.isProtected(opening)) found.add(opening);
    else if (protectedPaths.mayHold(opening, 'outside') !== 'nothing') await walk(opening, opening, 'outside');
  }
  // One inside another is gone with it.
  return [...found].filter((path) => ![...found].some((other) => other !== path && isInside(other, path)));
}

function tooMuch(what: string): Error {
  return new Error(`what rules about paths deny can't be hidden, so nothing ran: ${what}. Name a folder in the rule`);
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Gone meanwhile, or closed to us and so to the program.
    return [];
  }
}
