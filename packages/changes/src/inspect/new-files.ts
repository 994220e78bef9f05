import type { Stats } from 'node:fs';
import { isInside } from '../files/is-inside.js';

type WhyHidden = 'new-hidden' | 'new-linked';
export type WhyNew = WhyHidden | 'new-executable';

type Kind = Pick<Stats, 'mode' | 'isFile' | 'isSymbolicLink'>;

/**
 * Why a file in a draft needs a rule that names it if nobody approved the command (CHANGE4): programs may run it automatically. `hidden`: the
 * reason derived from its path. `there`: the existing entry at that path in the working folder.
 */
export function whyNew(hidden: WhyHidden | undefined, drafted: Kind, there: Kind | undefined): WhyNew | undefined {
  const isNew = there === undefined || there.isSymbolicLink() !== drafted.isSymbolicLink() || !isFileOrLink(there);
  if (isNew && hidden !== undefined) return hidden;
  const gainsRights = drafted.isFile() && isExecutable(drafted) && (isNew || !isExecutable(there));
  return gainsRights ? 'new-executable' : undefined;
}

/** Whether a path is a dot-file or in a dot-folder, judging by its own names or through a symlink in `inDotFolders`. */
export function whyHidden(path: string, inDotFolders: readonly string[]): WhyHidden | undefined {
  if (path.split('/').some((name) => name.startsWith('.'))) return 'new-hidden';
  return inDotFolders.some((folder) => isInside(folder, path)) ? 'new-linked' : undefined;
}

/** A partial `node_modules` breaks every later installation, so it is applied as a whole or not at all. */
export function isAppliedWhole(name: string): boolean {
  return name === 'node_modules';
}

/** The pattern for a rule that allows a new file: a folder dedicated to such files, or the file itself. */
export function patternFor(path: string): string {
  const names = path.split('/');
  const folder = names.slice(0, -1).findIndex((name) => name.startsWith('.') || isAppliedWhole(name));
  const whole = isAppliedWhole(names.at(-1) ?? '');
  if (folder === -1) return whole ? `${path}/**` : path;
  return `${names.slice(0, folder + 1).join('/')}/**`;
}

/** The rules allow no more than was left out, except in a folder dedicated to such files. Undefined for names that are unsafe in a rule. */
export function rulesFor(paths: readonly string[]): (string | undefined)[] {
  return [...new Set(paths.map(patternFor))].map(ruleText);
}

/** A command chooses its file names, so a name must not add a star to the rule that a person copies, or end it. */
function ruleText(pattern: string): string | undefined {
  const path = pattern.replace(/\/\*\*$/, '');
  const end = pattern.slice(path.length);
  if (/^[\w.+/@-]+$/.test(path)) return `allow write_file(./${path}${end})`;
  return /^[\p{L}\p{N} !#$%&(),./:;<=>?@[\]^_{|}~+*-]+$/u.test(path)
    ? `allow write_file('./${path}'${end})`
    : undefined;
}

function isFileOrLink(kind: Kind): boolean {
  return kind.isFile() || kind.isSymbolicLink();
}

function isExecutable({ mode }: Kind): boolean {
  return (mode & 0o111) !== 0;
}
