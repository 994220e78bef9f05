import { lstatSync, readdirSync, readFileSync, statSync, type Dirent } from 'node:fs';
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
const AT_ONCE = 200;

/**
 * The repositories whose settings may name something in the working folder: those it lies in, those in it that are not too deep, and
 * those of the given folders, such as the ones that a command wrote to.
 */
export async function findRepositories(workingDirectory: string, folders: Iterable<string>): Promise<Repository[]> {
  const found = new Map<string, Repository>();
  const look = (folder: string, names?: readonly string[]): void => {
    const repository = found.has(folder) ? undefined : repositoryAt(folder, names);
    if (repository !== undefined) found.set(folder, repository);
  };
  for (let at = workingDirectory; at !== dirname(at); at = dirname(at)) look(dirname(at));
  for (const folder of folders) look(folder);
  let level = [workingDirectory];
  let read = 0;
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const folder of level.slice(0, MOST_FOLDERS - read)) {
      read += 1;
      if (read % AT_ONCE === 0) await setImmediate();
      const entries = entriesOf(folder);
      look(
        folder,
        entries.map(({ name }) => name),
      );
      const inside = entries.filter((entry) => entry.isDirectory() && !isGitFolder(entry.name));
      next.push(...inside.filter(({ name }) => name !== 'node_modules').map(({ name }) => join(folder, name)));
    }
    level = next;
  }
  return [...found.values()];
}

function repositoryAt(folder: string, names: readonly string[] = namesIn(folder)): Repository | undefined {
  for (const name of names.filter(isGitFolder)) {
    const gitFolder = followGitFile(join(folder, name));
    if (gitFolder !== undefined) return { root: folder, gitFolder, commonFolder: commonFolderOf(gitFolder) };
  }
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

function namesIn(folder: string): string[] {
  return entriesOf(folder).map(({ name }) => name);
}

function entriesOf(folder: string): Dirent[] {
  try {
    return lstatSync(folder).isDirectory() ? readdirSync(folder, { withFileTypes: true }) : [];
  } catch {
    // Gone meanwhile, or closed to us and so to the command.
    return [];
  }
}
