import { lstatSync, readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isSince, type DiskMoment } from '../files/disk-clock.js';
import { isGitFolder } from '../runs-later/runs-later.js';

/** People read no more, and looking takes time in a large folder. */
const MOST = 100;
const MAX_ENTRIES = 200_000;
/** The number of folders to read before yielding to the event loop. */
const AT_ONCE = 50;

/**
 * Up to 100 files of a folder that others changed since a moment, without those that the run changes too: what the program read of them may be out of
 * date. Doesn't see removed files.
 */
export async function changedOutside(folder: string, since: DiskMoment, own: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  const folders = [''];
  let left = MAX_ENTRIES;
  for (let read = 1; folders.length > 0 && found.length < MOST && left > 0; read += 1) {
    const path = folders.shift() ?? '';
    if (read % AT_ONCE === 0) await setImmediate();
    for (const entry of entriesOf(join(folder, path))) {
      const inner = join(path, entry.name);
      left -= 1;
      if (entry.isDirectory()) {
        if (!isGitFolder(entry.name)) folders.push(inner);
      } else if (!own.has(inner) && isChanged(join(folder, inner), since)) found.push(inner);
    }
  }
  return found.slice(0, MOST).toSorted();
}

function isChanged(path: string, since: DiskMoment): boolean {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats !== undefined && isSince(stats.ctimeNs, since);
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Removed in the meantime, or not readable by us.
    return [];
  }
}
