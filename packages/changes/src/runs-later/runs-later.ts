import { relative, sep } from 'node:path';
import { normalizeText } from '@countersign/protocol';
import { parentsOf } from '../files/parents-of.js';
import { ENTRIES } from './names.js';

/** Files in a repository's folder that make Git run programs or read other configuration. All other files change with every commit. */
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
/** The last names of all entries. They are compared first, because there may be a hundred thousand paths. */
const ENDS = new Set(PATHS.map(lastName));
/** Parent folders of entries: a symlink in place of one points to a file of the same name elsewhere. */
const ON_THE_WAY = anyOf(PATHS.flatMap(parentsOf));

/**
 * The name that causes other programs to run a path later, outside the sandbox, or undefined. Compares text and ignores case, because some
 * disks treat `.GIT` and `.git` as the same.
 */
export function runsLater(workingDirectory: string, path: string): string | undefined {
  const segments = relative(workingDirectory, path).split(sep);
  const name = segments.at(-1) ?? '';
  return entryOf(segments) ?? (isHead(name) || commandsIn(segments.join('/')) !== undefined ? name : undefined);
}

/** Whether a symlink at this path, relative to the working folder, gives its target a name that programs run automatically. */
export function namesEntry(path: string): boolean {
  return entryOf(path.split(sep)) !== undefined || leadsToEntry(path);
}

function entryOf(segments: readonly string[]): string | undefined {
  return segments.find((segment, at) => isGitFolder(segment) || runsByItself(segments.slice(0, at + 1).join('/')));
}

/** Whether a path, relative to the top of the working folder or a repository, ends with an entry in the table. */
export function runsByItself(path: string): boolean {
  const name = plain(lastName(path));
  return PLAIN.has(name) || GLOBS.test(name) || (ENDS.has(name) && PATH.test(plain(path)));
}

/** Whether a symlink at this path could replace a folder in an entry's path. */
export function leadsToEntry(path: string): boolean {
  return ON_THE_WAY.test(plain(path));
}

export function isGitFolder(name: string): boolean {
  const known = plain(name);
  // `.git` has this short name on Windows disks.
  return known === '.git' || /^git~\d+$/.test(known);
}

export function isGitSetting(name: string): boolean {
  return SETTINGS.has(plain(name));
}

/** Git's HEAD file. Next to `objects` and `refs`, it turns any folder into a repository. */
export function isHead(name: string): boolean {
  return plain(name) === 'head';
}

/** The todo list of an interrupted rebase; `git rebase --continue` runs its `exec` lines. */
function isRebaseList(name: string): boolean {
  return plain(name).startsWith('git-rebase-todo');
}

/**
 * Matches the part of this file that makes Git run something when a rebase, cherry-pick or bisect continues. Undefined
 * for other files. A merge strategy is the suffix of a program name, so with a slash it can name any program.
 */
export function commandsIn(path: string): RegExp | undefined {
  const [name = '', parent = ''] = path.split('/').map(plain).toReversed();
  // Matches whitespace within one line only: across lines, a million empty ones would take minutes.
  if (isRebaseList(name)) return /^[ \t\v\f]*(?:x|exec)(?:\s|$)/m;
  if (name === 'bisect_names') return /[`$;|&<>()]/;
  const hasStrategy = ['rebase-merge', 'rebase-apply', 'sequencer'].includes(parent);
  return hasStrategy && ['strategy', 'opts'].includes(name) ? /\// : undefined;
}

/** What the names in a folder say about it. */
export interface FolderKind {
  readonly hasHead: boolean;
  /** Whether Git would treat it as a repository. */
  readonly isRepository: boolean;
}

export function kindOfFolder(names: readonly string[]): FolderKind {
  const there = new Set(names.map(plain));
  const hasHead = there.has('head');
  return { hasHead, isRepository: hasHead && (there.has('commondir') || (there.has('objects') && there.has('refs'))) };
}

/** Whether this name could turn a folder into a repository, or is part of a repository's configuration. */
export function isRepositoryPart(name: string, { hasHead, isRepository }: FolderKind): boolean {
  if (isRepository) return isGitSetting(name);
  return hasHead && ['objects', 'refs', 'commondir'].includes(plain(name));
}

/** Whether Git would treat a folder with these names as a repository. */
export function looksLikeRepository(names: readonly string[]): boolean {
  return kindOfFolder(names).isRepository;
}

/** Removes invisible characters, which HFS+ ignores in names. Git was once fooled by this. */
function plain(name: string): string {
  // Nearly all names. The rest takes ten times as long.
  if (/^[\x20-\x7E]*$/.test(name)) return name.toLowerCase();
  return normalizeText(name, 'NFKC')
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
