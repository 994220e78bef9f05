import { readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { inSlices } from '../files/in-slices.js';
import { isGitFolder } from './runs-later.js';

/** Limits on the depth and number of folders when searching for repositories and symlinks. */
const DEEPEST = 4;
export const MAX_FOLDERS = 50_000;

export interface Walked {
  /** Includes the working folder itself. */
  readonly folders: readonly string[];
  readonly links: readonly string[];
  /** False if there are more folders than the limit. */
  readonly complete: boolean;
}

/** The folders in a working folder and the symlinks in them, without `.git` and installed packages. */
export async function walkFolders(workingDirectory: string, most: number = MAX_FOLDERS): Promise<Walked> {
  const folders = [workingDirectory];
  const links: string[] = [];
  let level = [workingDirectory];
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth += 1) {
    const next: string[] = [];
    await inSlices(level, (folder) => {
      for (const entry of entriesOf(folder)) {
        if (entry.isSymbolicLink()) links.push(join(folder, entry.name));
        else if (entry.isDirectory() && !isGitFolder(entry.name) && entry.name !== 'node_modules')
          next.push(join(folder, entry.name));
      }
    });
    if (depth === DEEPEST) break;
    level = next.slice(0, most - folders.length);
    for (const folder of level) folders.push(folder);
    if (level.length < next.length) return { folders, links, complete: false };
  }
  return { folders, links, complete: true };
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Removed in the meantime, or not readable by us and therefore not by the command.
    return [];
  }
}
