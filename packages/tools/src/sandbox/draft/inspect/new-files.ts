import type { Stats } from 'node:fs';

export type WhyNew = 'new-hidden' | 'new-executable';

type Kind = Pick<Stats, 'mode' | 'isFile' | 'isSymbolicLink'>;

/**
 * Why a file of a draft needs a rule that names it, where nobody approved the command (A36): it is a new dot-file, a new file in a
 * dot-folder, or newly executable. Names alone can't list everything that some program runs by itself. `there` is what the working folder
 * has at that path.
 */
export function whyNew(path: string, drafted: Kind, there: Kind | undefined): WhyNew | undefined {
  const isNew = there === undefined || there.isSymbolicLink() !== drafted.isSymbolicLink() || !isFileOrLink(there);
  if (isNew && path.split('/').some((name) => name.startsWith('.'))) return 'new-hidden';
  const gainsRights = drafted.isFile() && isExecutable(drafted) && (isNew || !isExecutable(there));
  return gainsRights ? 'new-executable' : undefined;
}

/** Half of a `node_modules` breaks every later install, so it is applied as a whole or not at all. */
export function isAppliedWhole(name: string): boolean {
  return name === 'node_modules';
}

/** What a rule has to name to let a new file in: the folder that was made for such files, or the file. */
export function patternFor(path: string): string {
  const names = path.split('/');
  const folder = names.slice(0, -1).findIndex((name) => name.startsWith('.') || isAppliedWhole(name));
  const whole = isAppliedWhole(names.at(-1) ?? '');
  if (folder === -1) return whole ? `${path}/**` : path;
  return `${names.slice(0, folder + 1).join('/')}/**`;
}

const MOST_OF_ONE_FOLDER = 2;

/** One rule for each pattern, or for the folder at the top where many patterns share it. Undefined: a name that no rule should copy. */
export function rulesFor(paths: readonly string[]): (string | undefined)[] {
  const patterns = [...new Set(paths.map(patternFor))];
  const topOf = (pattern: string): string => (pattern.split('/').length > 1 ? (pattern.split('/')[0] ?? '') : '');
  const shared = new Map<string, number>();
  for (const pattern of patterns) shared.set(topOf(pattern), (shared.get(topOf(pattern)) ?? 0) + 1);
  const isShared = (top: string): boolean => top !== '' && (shared.get(top) ?? 0) > MOST_OF_ONE_FOLDER;
  const wanted = patterns.map((pattern) => (isShared(topOf(pattern)) ? `${topOf(pattern)}/**` : pattern));
  return [...new Set(wanted)].map(ruleText);
}

/** A command chooses its names: none may put a star of its own, or the end of the rule, into what a person copies. */
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
