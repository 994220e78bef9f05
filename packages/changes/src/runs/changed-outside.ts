import { lstatSync, readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { isSince, type DiskMoment } from '../files/disk-clock.js';
import { inSlices } from '../files/in-slices.js';
import { versionOf } from '../plan/plan.js';
import { isGitFolder } from '../runs-later/runs-later.js';

/** People read no more. */
const MOST = 100;
/** Looking at more would keep people waiting for the card. */
export const MOST_LOOKED_AT = 20_000;

export interface ChangedOutside {
  readonly paths: readonly string[];
  /** False if the folder has more entries than we look at. */
  readonly complete: boolean;
}

/**
 * Up to 100 files of a folder that others changed since a moment, without those that the run changes too: what the program read of them may be out of
 * date. Doesn't see removed files.
 */
export async function changedOutside(
  folder: string,
  since: DiskMoment,
  own: ReadonlySet<string>,
  most: number = MOST_LOOKED_AT,
  /** Versions of paths that we have written since. */
  ours: ReadonlyMap<string, string> = new Map(),
): Promise<ChangedOutside> {
  const found: string[] = [];
  const folders = [''];
  let left = most;
  await inSlices(folders, (path) => {
    for (const entry of left >= 0 && found.length < MOST ? entriesOf(join(folder, path)) : []) {
      left -= 1;
      if (left < 0) return;
      const inner = join(path, entry.name);
      if (entry.isDirectory()) {
        if (!isGitFolder(entry.name)) folders.push(inner);
      } else if (!own.has(inner) && isChanged(join(folder, inner), since, ours.get(inner))) found.push(inner);
    }
  });
  return { paths: found.slice(0, MOST).toSorted(), complete: left >= 0 };
}

function isChanged(path: string, since: DiskMoment, ours: string | undefined): boolean {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats !== undefined && isSince(stats.ctimeNs, since) && versionOf(stats) !== ours;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Removed in the meantime, or not readable by us.
    return [];
  }
}
