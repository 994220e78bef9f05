import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GIT_FIXED, isFileThatRuns, isFolderThatRuns } from './runs-later.js';

/** `absent`: not there, and must not come to be; a read-only empty folder stands in its place while the command runs. */
export interface FixedPath {
  readonly path: string;
  readonly how: 'read-only' | 'pinned' | 'absent';
}

/** So deep, and among so many folders, things that run later are looked for. */
const DEEPEST = 4;
const MOST_FOLDERS = 1_000;
/** What an editor or Git would pick up if it appeared at the top of the working folder. */
const MUST_NOT_APPEAR = ['.git', '.vscode', '.idea'];

/**
 * What in a working folder stays as it is while a command runs (A20), those that hold others first.
 * Throws where one is a link: a link can be replaced, and nothing would be fixed.
 */
export async function findFixedPaths(workingDirectory: string): Promise<FixedPath[]> {
  const found: FixedPath[] = [];
  let level = [workingDirectory];
  let left = MOST_FOLDERS;
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const folder of level.slice(0, left)) {
      for (const entry of await entriesOf(folder)) {
        const path = join(folder, entry.name);
        const folderThatRuns = isFolderThatRuns(entry.name);
        if (folderThatRuns || isFileThatRuns(entry.name)) {
          if (entry.isSymbolicLink())
            throw new Error(`${path} is a link, and a link can't be protected from a command`);
          pinWay(workingDirectory, folder, found);
          if (entry.isDirectory() && entry.name.toLowerCase() === '.git') found.push(...(await inGit(path)));
          else found.push({ path, how: 'read-only' });
        } else if (entry.isDirectory() && entry.name !== 'node_modules') next.push(path);
      }
    }
    left -= Math.min(left, level.length);
    level = next;
  }
  const there = new Set(found.map(({ path }) => path));
  const absent = MUST_NOT_APPEAR.map((name) => join(workingDirectory, name)).filter((path) => !there.has(path));
  return [...found, ...absent.map((path) => ({ path, how: 'absent' as const }))];
}

/** The folders on the way to something fixed: renamed, one would take it along and leave its place free. */
function pinWay(workingDirectory: string, folder: string, found: FixedPath[]): void {
  if (folder === workingDirectory || found.some(({ path }) => path === folder)) return;
  pinWay(workingDirectory, dirname(folder), found);
  found.push({ path: folder, how: 'pinned' });
}

async function inGit(path: string): Promise<FixedPath[]> {
  const found: FixedPath[] = [{ path, how: 'pinned' }];
  for (const name of GIT_FIXED) {
    const fixed = join(path, name);
    const stats = await lstat(fixed).catch(() => undefined);
    if (stats?.isSymbolicLink() === true)
      throw new Error(`${fixed} is a link, and a link can't be protected from a command`);
    if (stats !== undefined) found.push({ path: fixed, how: 'read-only' });
    // A repository without hooks must not get any, nor settings that name programs.
    else if (name === 'hooks' || name === 'config') found.push({ path: fixed, how: 'absent' });
  }
  return found;
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    // Gone meanwhile, or closed to us and so to the command.
    return [];
  }
}
