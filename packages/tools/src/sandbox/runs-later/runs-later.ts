import { relative, sep } from 'node:path';
import { parentsOf } from '../parents-of.js';
import { ENTRIES } from './names.js';

/** In a repository's own folder these make Git run programs, or take its settings from elsewhere. The rest changes with every commit. */
export const SETTINGS: ReadonlySet<string> = new Set([
  'config',
  'config.worktree',
  'hooks',
  'modules',
  'worktrees',
  'commondir',
  'gitdir',
  'remotes',
  'branches',
]);

const KNOWN = ENTRIES.map(({ entry }) => plain(entry));
const PLAIN = new Set(KNOWN.filter((entry) => !/[*/]/.test(entry)));
const GLOBS = anyOf(KNOWN.filter((entry) => entry.includes('*')));
const PATHS = KNOWN.filter((entry) => entry.includes('/'));
const PATH = anyOf(PATHS);
/** What a path must end in before it is compared: there may be a hundred thousand of them. */
const ENDS = new Set(PATHS.map(lastName));
/** Folders on the way to an entry: a link in place of one leads to a file of the same name elsewhere. */
const ON_THE_WAY = anyOf(PATHS.flatMap(parentsOf));

/**
 * The name that makes a path one that other programs run later, outside every sandbox, or undefined. By text alone, in any case: some
 * disks don't tell `.GIT` from `.git`.
 */
export function runsLater(workingDirectory: string, path: string): string | undefined {
  const segments = relative(workingDirectory, path).split(sep);
  const name = segments.at(-1) ?? '';
  return entryOf(segments) ?? (isHead(name) || commandsIn(segments.join('/')) !== undefined ? name : undefined);
}

/** Whether a link at this path, from the working folder, gives what it leads to a name that runs later. */
export function namesEntry(path: string): boolean {
  return entryOf(path.split(sep)) !== undefined || leadsToEntry(path);
}

function entryOf(segments: readonly string[]): string | undefined {
  return segments.find((segment, at) => isGitFolder(segment) || runsByItself(segments.slice(0, at + 1).join('/')));
}

/** Whether a path, from the top of the working folder or of a repository, ends in an entry of the table of names. */
export function runsByItself(path: string): boolean {
  const name = plain(lastName(path));
  return PLAIN.has(name) || GLOBS.test(name) || (ENDS.has(name) && PATH.test(plain(path)));
}

/** Whether a link at this path could stand in for a folder of an entry. */
export function leadsToEntry(path: string): boolean {
  return ON_THE_WAY.test(plain(path));
}

export function isGitFolder(name: string): boolean {
  const known = plain(name);
  // How Windows' disks also call it.
  return known === '.git' || /^git~\d+$/.test(known);
}

export function isGitSetting(name: string): boolean {
  return SETTINGS.has(plain(name));
}

/** Git's own file that says where a repository stands. Beside `objects` and `refs` it turns any folder into a repository. */
export function isHead(name: string): boolean {
  return plain(name) === 'head';
}

/** What a rebase that was interrupted still has to do; `git rebase --continue` runs its `exec` lines. */
function isRebaseList(name: string): boolean {
  return plain(name).startsWith('git-rebase-todo');
}

/**
 * What makes Git run something when an interrupted rebase, cherry-pick or bisect goes on, in a file of this path; undefined where nothing
 * does. A strategy is the end of a program's name, so a slash in it leads anywhere; older versions evaluate the names of a bisect.
 */
export function commandsIn(path: string): RegExp | undefined {
  const [name = '', parent = ''] = path.split('/').map(plain).toReversed();
  // Blanks of one line only: over all lines, a list of a million empty ones would take minutes.
  if (isRebaseList(name)) return /^[ \t\v\f]*(?:x|exec)(?:\s|$)/m;
  if (name === 'bisect_names') return /[`$;|&<>()]/;
  const hasStrategy = ['rebase-merge', 'rebase-apply', 'sequencer'].includes(parent);
  return hasStrategy && ['strategy', 'opts'].includes(name) ? /\// : undefined;
}

/** Whether this name would help to make a repository of a folder with those names in it, or is a setting of one that it is. */
export function isRepositoryPart(name: string, there: readonly string[]): boolean {
  if (looksLikeRepository(there)) return isGitSetting(name);
  return there.some(isHead) && ['objects', 'refs', 'commondir'].includes(plain(name));
}

/** Whether Git would take a folder with these names in it for a repository. */
export function looksLikeRepository(names: readonly string[]): boolean {
  const there = new Set(names.map(plain));
  return there.has('head') && (there.has('commondir') || (there.has('objects') && there.has('refs')));
}

/** HFS+ reads a name without the characters nobody sees; Git was once fooled by it. */
function plain(name: string): string {
  return name
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .toLowerCase();
}

function anyOf(entries: readonly string[]): RegExp {
  const patterns = entries.map((entry) => {
    const text = entry.replaceAll(/[\\^$.+?()[\]{}|]/g, String.raw`\$&`).replaceAll('*', '[^/]*');
    return text.startsWith('/') ? `^${text.slice(1)}$` : `(?:^|/)${text}$`;
  });
  return new RegExp(patterns.join('|'));
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
