import { readdir, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isInside } from '../files/is-inside.js';
import { readGitConfig, findGit, type GitProgram, type GitSetting } from './read-git-config.js';
import { findRepositories, foldersAbove, type Repository } from './find-repositories.js';
import { followLinks, linksAlong } from './follow-links.js';
import { HOOKS, kindOfSetting, wordsOfCommand } from './git-keys.js';
import { isGitSetting, namesEntry } from './runs-later.js';
import { MAX_FOLDERS, walkFolders } from './walk-folders.js';

export interface NamedInSettings {
  /** Paths relative to the working folder that programs run automatically although their names don't show it. Each includes everything inside it. */
  readonly paths: readonly string[];
  /** Paths relative to the working folder that a symlink makes available in a dot-folder or under a name that starts with a dot. */
  readonly inDotFolders: readonly string[];
  /** False if Git is missing or fails, or if some folders were not searched. In that case, nothing in `.git` and no executable may change. */
  readonly known: boolean;
}

/**
 * Files in the working folder that Git's configuration names as hooks, programs or included configuration, and targets of symlinks whose names programs run
 * automatically. `folders`: folders that are about to be written to, at any depth.
 */
export async function namedInSettings(
  workingDirectory: string,
  folders: Iterable<string> = [],
  git: GitProgram = findGit(),
  mostFolders: number = MAX_FOLDERS,
): Promise<NamedInSettings> {
  const walked = await walkFolders(workingDirectory, mostFolders);
  const repositories = await findRepositories(workingDirectory, [...folders, ...walked.folders]);
  const linksWith = (isMeant: (path: string) => boolean): string[] =>
    walked.links.filter((link) => isMeant(relative(workingDirectory, link)));
  const links = [
    ...linksWith(namesEntry),
    ...(await Promise.all(repositories.map(({ gitFolder }) => linksIn(gitFolder, isGitSetting)))).flat(),
  ];
  const files = new Set(repositories.flatMap(settingsOf));
  const settings = repositories.length === 0 ? [] : await readGitConfig([...files], git);
  const named = await namedBy(settings ?? [], repositories, { workingDirectory, home: git.home });
  const inside = (paths: readonly string[]): string[] => [
    ...new Set(paths.map((path) => relative(workingDirectory, path)).filter((path) => path !== '' && !isAbove(path))),
  ];
  return {
    paths: inside([...named, ...(await leadFrom([...links, ...named]))]),
    inDotFolders: inside(await leadFrom(linksWith((path) => path.split(sep).some((name) => name.startsWith('.'))))),
    known: settings !== undefined && walked.complete,
  };
}

/** The targets of these paths, and further symlinks along the way. */
async function leadFrom(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map(async (path) => [await followLinks(path), ...(await linksAlong(path)).filter((link) => link !== path)]),
  );
  return found.flat();
}

function isAbove(path: string): boolean {
  return path === '..' || path.startsWith(`..${sep}`);
}

function settingsOf({ gitFolder, commonFolder }: Repository): string[] {
  const files = [commonFolder, gitFolder].flatMap((folder) => [
    join(folder, 'config'),
    join(folder, 'config.worktree'),
  ]);
  return [...new Set(files)];
}

interface Around {
  readonly workingDirectory: string;
  readonly home: string;
}

async function namedBy(
  settings: readonly GitSetting[],
  repositories: readonly Repository[],
  around: Around,
): Promise<string[]> {
  const basesOf = basesFor(settings, repositories);
  const tops = new Set([around.workingDirectory, ...repositories.map(({ root }) => root)]);
  const found: string[] = [];
  const hooks = repositories.map(({ commonFolder }) => join(commonFolder, 'hooks'));
  for (const { file, key, value } of settings) {
    const kind = kindOfSetting(key, value);
    const paths = (word: string): string[] => pathsFrom(word, basesOf(file), around);
    switch (kind) {
      case 'root':
        break;
      case 'folder':
        hooks.push(...paths(value));
        for (const folder of paths(value))
          found.push(...(tops.has(folder) ? HOOKS.map((hook) => join(folder, hook)) : [folder]));
        break;
      case 'file':
        // These paths are relative to the including file.
        found.push(...pathsFrom(value, [dirname(file)], around), ...paths(value));
        break;
      case 'command':
      case undefined:
        for (const word of wordsOfCommand(value)) found.push(...(await programsAmong(paths(word), word, kind)));
    }
  }
  // A hook is often a symlink to a script in the working tree.
  for (const folder of new Set(hooks)) found.push(...(await leadFrom(await linksIn(folder, () => true))));
  return found;
}

/**
 * Git starts programs at the top of the working tree, or in the repository if there is no working tree. Global
 * configuration applies to all.
 */
function basesFor(
  settings: readonly GitSetting[],
  repositories: readonly Repository[],
): (file: string) => Iterable<string> {
  const all = new Set<string>();
  const byFile = new Map<string, Set<string>>();
  const roots = settings.filter(({ key, value }) => kindOfSetting(key, value) === 'root').map(({ value }) => value);
  for (const repository of repositories) {
    const { root, gitFolder, commonFolder } = repository;
    const bases = [root, gitFolder, commonFolder, ...roots.map((other) => resolve(gitFolder, other))];
    for (const base of bases) all.add(base);
    for (const file of settingsOf(repository)) byFile.set(file, new Set([...(byFile.get(file) ?? []), ...bases]));
  }
  return (file) => byFile.get(file) ?? all;
}

function pathsFrom(word: string, bases: Iterable<string>, { workingDirectory, home }: Around): string[] {
  const [, user, rest = ''] = /^~([^/]*)\/(.*)$/s.exec(word) ?? [];
  // Another user's home folder is not looked up; it could be any folder above the files.
  const homes = user === '' ? [home] : [workingDirectory, ...foldersAbove(workingDirectory)];
  const paths =
    user === undefined ? [...bases].map((base) => resolve(base, word)) : homes.map((one) => join(one, rest));
  return [...new Set(paths)].filter((path) => isInside(workingDirectory, path));
}

/**
 * The paths that could be a program, so never a folder. If a word doesn't look like a path (`make test`) or comes from an unknown key, it
 * is included only if the file exists.
 */
async function programsAmong(paths: readonly string[], word: string, kind: 'command' | undefined): Promise<string[]> {
  if (kind === undefined && !word.includes('/')) return [];
  const mustExist = kind === undefined || !/[./]/.test(word);
  const found: string[] = [];
  for (const path of paths) {
    const there = await stat(path).catch(() => undefined);
    if (there === undefined ? !mustExist : there.isFile()) found.push(path);
  }
  return found;
}

async function linksIn(folder: string, isMeant: (name: string) => boolean): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isSymbolicLink() && isMeant(entry.name)).map(({ name }) => join(folder, name));
}
