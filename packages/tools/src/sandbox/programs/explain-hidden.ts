import { homedir } from 'node:os';
import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { foldersAbove, isProgram, realPath } from '@countersign/changes';
import { trustedFolders } from '../../shell/trusted-folders.js';

/**
 * Lists the paths in a person's command line that exist but are hidden by the sandbox, with the rule that would make them visible. Never use it
 * for an agent's words: the agent would learn which files exist.
 */
export function explainHidden(words: readonly string[], sees: (path: string) => boolean, path: string): string[] {
  return words.flatMap((word) => {
    const file = isAbsolute(word) ? word : findOnPath(word, path);
    return file === undefined ? [] : explain(word, file, sees);
  });
}

const NOT_FOUND = /(?:^|[\s:])([\w.+-]{1,60}): (?:command )?not found$/gm;

/** Like `explainHidden`, for programs that a shell reported as not found. Searches only the person's PATH. */
export function explainNotFound(said: string, sees: (path: string) => boolean, path: string): string[] {
  const names = [...said.matchAll(NOT_FOUND)].flatMap(([, name]) => (name === undefined ? [] : [name]));
  return [...new Set(names)].slice(0, 3).flatMap((name) => {
    const file = findOnPath(name, path);
    return file === undefined ? [] : explain(name, file, sees);
  });
}

const MISSING = /not found|no such file|cannot find|can't open|ENOENT/i;

/** For a program that looked in its HOME for something in the person's home folder. Doesn't reveal what exists there. */
export function explainHome(said: string, home: string): string[] {
  const isMissing = said.split('\n').some((line) => line.includes(`${home}/`) && MISSING.test(line));
  if (!isMissing) return [];
  const rule = 'A rule such as `allow sandbox_folder(~/lib)` makes a folder of your home readable';
  if (home === homedir()) return [`The sandbox hides most of your home. ${rule}`];
  return [
    `In the sandbox, HOME is ${home}, which is empty. Use full paths, or set HOME for this server (HOME=/home/you). ${rule}`,
  ];
}

function explain(word: string, file: string, sees: (path: string) => boolean): string[] {
  const real = realPath(file);
  if (real === undefined) return [];
  // If a symlink is given with its full path, it has to be readable too.
  const hidden = [real, ...(isAbsolute(word) ? [file] : [])].find((path) => !sees(path));
  if (hidden === undefined) return [];
  const rule = `allow sandbox_folder(${short(folderOf(hidden))})`;
  const what = word === file ? short(file) : `${word} is at ${short(file)}, which`;
  return [
    `${what}${word === file ? ' is in a folder that' : ''} the sandbox hides; the rule \`${rule}\` makes it readable`,
  ];
}

/** Names of folders that usually have a program's libraries next to them. */
const PARTS: readonly string[] = `bin sbin shims libexec dist build out lib esm cjs release debug`.split(' ');
/** Files found at the top of a package. */
const TOPS: readonly string[] =
  `node_modules package.json pyproject.toml setup.py pyvenv.cfg Cargo.toml go.mod Gemfile pom.xml composer.json deno.json`.split(
    ' ',
  );
const MAX_ABOVE = 4;

/** The folder that a program needs: its package, or otherwise the parent of its program folder. Never the whole home folder. */
function folderOf(file: string): string {
  const ends = [realPath(homedir()), '/'];
  const around = foldersAbove(file).slice(0, MAX_ABOVE + 1);
  const end = around.findIndex((folder) => ends.includes(folder));
  const folders = end === -1 ? around : around.slice(0, end);
  // npm installs a package's dependencies next to it.
  const modules = foldersAbove(file).findLast((folder) => basename(folder) === 'node_modules');
  if (modules !== undefined) return modules;
  const whole = folders.filter((folder) => !PARTS.includes(basename(folder)));
  return whole.find((folder) => TOPS.some((name) => existsSync(join(folder, name)))) ?? whole[0] ?? dirname(file);
}

function short(path: string): string {
  const home = homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

function findOnPath(name: string, path: string): string | undefined {
  if (name === '' || name.includes('/')) return undefined;
  return trustedFolders(path)
    .map((folder) => join(folder, name))
    .find((file) => isProgram(file));
}
