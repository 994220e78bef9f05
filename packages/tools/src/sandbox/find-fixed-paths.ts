import { lstat, readdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import {
  MAX_FOLDERS,
  type NamedInSettings,
  isGitFolder,
  isGitSetting,
  isInside,
  runsByItself,
  walkFolders,
} from '@countersign/changes';

export interface FixedPath {
  readonly path: string;
  readonly how: 'read-only' | 'pinned';
}

/**
 * Existing paths in a live working folder that must stay unchanged (CHANGE1), parents first. Paths created later can't be found here; see `draft`.
 * Throws for a symlink, which can be replaced, and if there are too many folders.
 */
export async function findFixedPaths(
  workingDirectory: string,
  named: NamedInSettings,
  mostFolders: number = MAX_FOLDERS,
): Promise<FixedPath[]> {
  const found: FixedPath[] = [];
  const { folders, complete } = await walkFolders(workingDirectory, mostFolders);
  if (!complete)
    throw new Error(
      `${workingDirectory} has more than ${mostFolders.toLocaleString('en')} folders, too many to protect files that run automatically; choose a smaller working folder`,
    );
  for (const folder of folders) {
    if (found.some(({ path, how }) => how === 'read-only' && isInside(path, folder))) continue;
    for (const entry of await entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (!isGitFolder(entry.name) && !runsByItself(relative(workingDirectory, path))) continue;
      if (entry.isSymbolicLink()) throw unprotected(path);
      pinWay(workingDirectory, folder, found);
      if (entry.isDirectory() && isGitFolder(entry.name)) found.push(...(await inGit(path, named.known)));
      else found.push({ path, how: 'read-only' });
    }
  }
  for (const path of named.paths.map((one) => join(workingDirectory, one))) {
    const stats = await lstat(path).catch(() => undefined);
    // The target of a symlink is also among the named paths.
    if (stats === undefined || stats.isSymbolicLink() || found.some((one) => one.path === path)) continue;
    pinWay(workingDirectory, dirname(path), found);
    found.push({ path, how: 'read-only' });
  }
  return found;
}

/** Adds the parent folders of hidden paths: moving one would move its content to a name that no rule covers. */
export function pinParents(
  workingDirectory: string,
  fixed: readonly FixedPath[],
  hiddenByRules: readonly string[],
): FixedPath[] {
  const found = [...fixed];
  for (const path of hiddenByRules)
    if (isInside(workingDirectory, path)) pinWay(workingDirectory, dirname(path), found);
  // Parents come first: if one were mounted later, it would cover the fixed paths inside it.
  return found.sort((a, b) => a.path.split(sep).length - b.path.split(sep).length);
}

/** Adds the parent folders of a fixed path: renaming one would move the path away and make its name available. */
function pinWay(workingDirectory: string, folder: string, found: FixedPath[]): void {
  if (folder === workingDirectory || found.some(({ path }) => path === folder)) return;
  pinWay(workingDirectory, dirname(folder), found);
  found.push({ path: folder, how: 'pinned' });
}

/** `known`: whether Git could report which files its configuration names. */
async function inGit(path: string, known: boolean): Promise<FixedPath[]> {
  if (!known) return [{ path, how: 'read-only' }];
  const found: FixedPath[] = [{ path, how: 'pinned' }];
  for (const { name } of (await entriesOf(path)).filter((entry) => isGitSetting(entry.name))) {
    const fixed = join(path, name);
    if ((await lstat(fixed)).isSymbolicLink()) throw unprotected(fixed);
    found.push({ path: fixed, how: 'read-only' });
  }
  return found;
}

function unprotected(path: string): Error {
  return new Error(`${path} is a link, and a link can't be protected from a command`);
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    // Removed in the meantime, or not readable by us and therefore not by the command.
    return [];
  }
}
