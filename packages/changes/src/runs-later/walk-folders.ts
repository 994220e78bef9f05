import { join } from 'node:path';
import { inSlices } from '../files/in-slices.js';
import { folderEntries } from './folder-entries.js';
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
      const inside = folderEntries(folder);
      for (const name of inside.links) links.push(join(folder, name));
      for (const name of inside.folders)
        if (!isGitFolder(name) && name !== 'node_modules') next.push(join(folder, name));
    });
    if (depth === DEEPEST) break;
    level = next.slice(0, most - folders.length);
    for (const folder of level) folders.push(folder);
    if (level.length < next.length) return { folders, links, complete: false };
  }
  return { folders, links, complete: true };
}
