import { lstatSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { inSlices } from '../files/in-slices.js';
import { looksLikeRepository } from './runs-later.js';

export interface Repository {
  /** The top of its working tree. */
  readonly root: string;
  readonly gitFolder: string;
  /** Differs from `folder` only in a worktree. */
  readonly commonFolder: string;
}

/** The repositories in these folders and above the working folder. Their configuration may name files in it. */
export async function findRepositories(workingDirectory: string, folders: Iterable<string>): Promise<Repository[]> {
  const found: Repository[] = [];
  await inSlices(new Set([...foldersAbove(workingDirectory), ...folders]), (folder) => {
    const repository = repositoryAt(folder);
    if (repository !== undefined) found.push(repository);
  });
  return found;
}

export function foldersAbove(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [] : [above, ...foldersAbove(above)];
}

/** Looked up by name, to avoid listing the folder. */
const PARTS = ['.git', 'HEAD', 'objects', 'refs', 'commondir'];

function repositoryAt(folder: string): Repository | undefined {
  const names = PARTS.filter((name) => isThere(join(folder, name)));
  const gitFolder = names.includes('.git') ? followGitFile(join(folder, '.git')) : undefined;
  if (gitFolder !== undefined) return { root: folder, gitFolder, commonFolder: commonFolderOf(gitFolder) };
  if (!looksLikeRepository(names)) return undefined;
  return { root: folder, gitFolder: folder, commonFolder: commonFolderOf(folder) };
}

/** In a worktree or submodule, `.git` is a file that contains the path to the repository. */
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

/** Reads only the start: Git's one-line files are short, and a pipe would block us. */
function readStart(path: string): string {
  const stats = statSync(path);
  if (!stats.isFile() || stats.size > 65_536) throw new Error(`${path} is not a Git file`);
  return readFileSync(path, 'utf8');
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // We have no permission to read its folder.
    return false;
  }
}
