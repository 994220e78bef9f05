import { lstatSync, readFileSync, statSync, type Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isGitFolder, looksLikeRepository } from './runs-later.js';

export interface Repository {
  /** Where its files lie. */
  readonly root: string;
  readonly gitFolder: string;
  /** Another one only for a worktree. */
  readonly commonFolder: string;
}

/** So deep, and among so many folders, repositories are looked for by themselves. */
const DEEPEST = 4;
const MOST_FOLDERS = 1_000;
/** Looked at in one go, before others get their turn. */
const AT_ONCE = 100;

/**
 * The repositories whose settings may name something in the working folder: those it lies in, those in it that are not too deep, and
 * those of the given folders, such as the ones that a command wrote to.
 */
export async function findRepositories(workingDirectory: string, folders: Iterable<string>): Promise<Repository[]> {
  const wanted = new Set([...foldersAbove(workingDirectory), ...folders, ...(await foldersIn(workingDirectory))]);
  const found: Repository[] = [];
  let looked = 0;
  for (const folder of wanted) {
    looked += 1;
    if (looked % AT_ONCE === 0) await setImmediate();
    const repository = repositoryAt(folder);
    if (repository !== undefined) found.push(repository);
  }
  return found;
}

function foldersAbove(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [] : [above, ...foldersAbove(above)];
}

/** With the folder itself. What a package manager installed is left out. */
async function foldersIn(workingDirectory: string): Promise<string[]> {
  const found = [workingDirectory];
  let level = found.slice();
  for (let depth = 1; depth <= DEEPEST && found.length < MOST_FOLDERS; depth += 1) {
    const next: string[] = [];
    for (let from = 0; from < level.length && found.length + next.length < MOST_FOLDERS; from += AT_ONCE)
      next.push(...(await Promise.all(level.slice(from, from + AT_ONCE).map(subfolders))).flat());
    level = next.slice(0, MOST_FOLDERS - found.length);
    found.push(...level);
  }
  return found;
}

async function subfolders(folder: string): Promise<string[]> {
  // Gone meanwhile, or closed to us and so to the command.
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !isGitFolder(entry.name) && entry.name !== 'node_modules')
    .map(({ name }) => join(folder, name));
}

/** By these names, and not by a list of all that may lie there. */
const PARTS = ['.git', 'HEAD', 'objects', 'refs', 'commondir'];

function repositoryAt(folder: string): Repository | undefined {
  const names = PARTS.filter((name) => isThere(join(folder, name)));
  const gitFolder = names.includes('.git') ? followGitFile(join(folder, '.git')) : undefined;
  if (gitFolder !== undefined) return { root: folder, gitFolder, commonFolder: commonFolderOf(gitFolder) };
  if (!looksLikeRepository(names)) return undefined;
  return { root: folder, gitFolder: folder, commonFolder: commonFolderOf(folder) };
}

/** In a worktree or a submodule `.git` is a file that says where the repository is. */
function followGitFile(path: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) return path;
    const target = /^gitdir: (.+?)\r?\n*$/s.exec(readStart(path))?.[1];
    return target === undefined ? undefined : resolve(dirname(path), target);
  } catch {
    return undefined;
  }
}

function commonFolderOf(gitFolder: string): string {
  try {
    return resolve(gitFolder, readStart(join(gitFolder, 'commondir')).trim());
  } catch {
    return gitFolder;
  }
}

/** Git's own files of one line are short; a pipe would hold us up. */
function readStart(path: string): string {
  const stats = statSync(path);
  if (!stats.isFile() || stats.size > 65_536) throw new Error(`${path} is not a file of Git`);
  return readFileSync(path, 'utf8');
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Its folder is closed to us.
    return false;
  }
}
