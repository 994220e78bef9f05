import { readdirSync, realpathSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ProtectedPaths } from '@countersign/core/ports';
import { isFolder, isInside, realPath } from '@countersign/changes';

/** The maximum number of directory entries per command. Beyond it, the command fails with a request for a narrower rule. */
const MAX_ENTRIES = 300_000;
/** Limited, because each protected path needs a mount. */
const MAX_PROTECTED = 1_000;
/** The number of folders to read before yielding to the event loop. Reading each one asynchronously would take several times as long. */
const AT_ONCE = 200;

export interface Search {
  /** The folders that a program can access, as real paths. All their entries are checked. */
  readonly areas: readonly string[];
  /** Folders opened inside a hidden location, as real paths. They may be huge, so only rules with an anchored path apply. */
  readonly openings?: readonly string[];
  /** Paths that the program can't see anyway. */
  readonly isHidden: (path: string) => boolean;
}

/**
 * Finds the real paths that rules hide from a program. If the search can't be completed, throws a readable error, because the program must not
 * run.
 */
export async function findProtected(
  protectedPaths: ProtectedPaths,
  { areas, openings = [], isHidden }: Search,
): Promise<string[]> {
  const found = new Set<string>();
  let left = MAX_ENTRIES;
  let read = 0;

  async function walk(shown: string, real: string, where: 'inside' | 'outside'): Promise<void> {
    read += 1;
    if (read % AT_ONCE === 0) await setImmediate();
    for (const entry of entriesOf(real)) {
      left -= 1;
      if (left < 0) throw tooMuch(`more than ${MAX_ENTRIES} files would have to be searched`);
      // Use the path as written, not its target, because rules are written that way.
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
    // This is a symlink inside a rule's path. Other symlinks don't have to be followed: their targets are searched under their own names.
    else if (holds === 'fixed' && isFolder(real)) await walk(shown, realpathSync(real), where);
  }

  function take(path: string, entry: Dirent): void {
    const real = realPath(path);
    if (real === undefined && !entry.isSymbolicLink()) throw tooMuch(`${JSON.stringify(path)} is not accessible`);
    if (real === undefined || isHidden(real)) return;
    found.add(real);
    if (found.size > MAX_PROTECTED)
      throw tooMuch(`more than ${MAX_PROTECTED} files and folders would have to be hidden`);
  }

  for (const area of areas) await walk(area, area, 'inside');
  if (protectedPaths.mayHold('/', 'outside') !== 'nothing') await walk('/', '/', 'outside');
  for (const opening of openings) {
    if (protectedPaths.isProtected(opening)) found.add(opening);
    else if (protectedPaths.mayHold(opening, 'outside') !== 'nothing') await walk(opening, opening, 'outside');
  }
  // A path inside another hidden one is hidden with it.
  return [...found].filter((path) => ![...found].some((other) => other !== path && isInside(other, path)));
}

function tooMuch(what: string): Error {
  return new Error(`the paths that rules deny can't be hidden, so nothing ran: ${what}. Name a folder in the rule`);
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Removed in the meantime, or not readable by us and therefore not by the program.
    return [];
  }
}
