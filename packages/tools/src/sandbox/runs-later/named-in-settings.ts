import { readdir, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { isInside } from '../../files/is-inside.js';
import { askGit, findGit, includedPath, type GitProgram, type GitSetting } from './ask-git.js';
import { findRepositories, type Repository } from './find-repositories.js';
import { followLinks } from './follow-links.js';
import { HOOKS, kindOfSetting, wordsOfCommand } from './git-keys.js';
import { isGitFolder, isGitSetting, leadsToEntry, runsByItself } from './runs-later.js';

export interface NamedInSettings {
  /** Paths, from the working folder, that run later without having such a name. What lies in them does too. */
  readonly paths: readonly string[];
  /** False: there is a repository, and Git could not be asked. Then nothing in it, and no executable file, may change. */
  readonly known: boolean;
}

/**
 * What in the working folder Git's settings name as hooks, programs or further settings, and where links lead that have a name that runs
 * later. `folders` are those about to be written to, however deep.
 */
export async function namedInSettings(
  workingDirectory: string,
  folders: Iterable<string> = [],
  git: GitProgram = findGit(),
): Promise<NamedInSettings> {
  const repositories = await findRepositories(workingDirectory, folders);
  const links = [
    ...(await linksIn(workingDirectory, (name) => isGitFolder(name) || runsByItself(name) || leadsToEntry(name))),
    ...(await Promise.all(repositories.map(({ gitFolder }) => linksIn(gitFolder, isGitSetting)))).flat(),
  ];
  const files = new Set(repositories.flatMap(settingsOf));
  const settings = repositories.length === 0 ? [] : await askGit([...files], git);
  const named = await namedBy(settings ?? [], repositories, { workingDirectory, home: git.home });
  const found = [...links, ...named];
  const paths = [...found, ...(await Promise.all(found.map((path) => followLinks(path))))]
    .filter((path) => path !== workingDirectory && isInside(workingDirectory, path))
    .map((path) => relative(workingDirectory, path));
  return { paths: [...new Set(paths)], known: settings !== undefined };
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
        found.push(includedPath(value, file, around.home), ...paths(value));
        break;
      case 'command':
      case undefined:
        for (const word of wordsOfCommand(value)) found.push(...(await programsAmong(paths(word), word, kind)));
    }
  }
  // A hook is often a link to a script among the files.
  for (const folder of new Set(hooks)) found.push(...(await linksIn(folder, () => true)));
  return found;
}

/** Git starts programs at the top of the files, or in the repository where there is no top. Settings of no single repository count for all. */
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
  const paths = word.startsWith('~/') ? [join(home, word.slice(2))] : [...bases].map((base) => resolve(base, word));
  return [...new Set(paths)].filter((path) => isInside(workingDirectory, path));
}

/**
 * Those of the paths that could be a program, so never a folder. A word that doesn't look like a path (`make test`), or comes from a
 * setting that we don't know, counts only if the file exists.
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
  const links = entries.filter((entry) => entry.isSymbolicLink() && isMeant(entry.name));
  return await Promise.all(links.map(({ name }) => followLinks(join(folder, name))));
}
