import { z } from 'zod';
import { patternFor, rulesFor } from './new-files.js';

/** Why a change is not applied. */
export const LEFT_OUT_REASONS = [
  'runs-later',
  'git-unknown',
  'rule',
  'repository',
  'git',
  'link',
  'ours',
  'no-file',
  'name',
  'kept',
  'new-hidden',
  'new-linked',
  'new-executable',
] as const;

/** A change in a draft that was not applied. The path is relative to the working folder. */
export const leftOutSchema = z.strictObject({ path: z.string(), why: z.enum(LEFT_OUT_REASONS) }).readonly();
export type LeftOut = z.infer<typeof leftOutSchema>;

const WORDS: Readonly<Record<LeftOut['why'], string>> = {
  'runs-later': 'programs outside the sandbox run it automatically; use write_file, which needs approval',
  'git-unknown':
    "it may run outside the sandbox: Git's configuration can't be read, or the working folder has more than 50,000 folders. Install Git in a system folder, repair its configuration, or work in a smaller folder",
  rule: 'a rule denies it or requires approval for it',
  repository: 'only a person can create, move or remove a repository',
  git: 'files of Git are never copied',
  link: 'Git would follow this link and write elsewhere',
  ours: 'it belongs to Countersign',
  'no-file': 'it is a pipe, a socket or a device',
  name: 'its name is not UTF-8, or its path is too long',
  kept: 'not removed, because a file that was left out may be this one under a new name',
  'new-hidden': 'a new dot-file',
  'new-linked': 'a new file that a link puts into a dot-folder',
  'new-executable': 'a new executable',
};

export function whyLeftOut(why: LeftOut['why']): string {
  return WORDS[why];
}

/** For the card of a run, whose program has no other tool. */
export function whyRunLeftOut(why: LeftOut['why']): string {
  return why === 'runs-later' ? 'programs outside the sandbox run it automatically' : WORDS[why];
}

const MAX_NAMED = 10;
const MAX_RULES = 5;

/** Describes what was not applied, why, and how to allow it, for the model and the person. */
export function describeLeftOut(leftOut: readonly LeftOut[]): string | undefined {
  if (leftOut.length === 0) return undefined;
  const others = leftOut.filter((one) => !isNew(one)).map(describeOne);
  const lines = [...shortList(others), ...describeNew(leftOut.filter(isNew))];
  return `Not everything the command wrote was applied to the working folder.\n${lines.join('\n')}`;
}

function describeNew(fresh: readonly LeftOut[]): string[] {
  if (fresh.length === 0) return [];
  const rules = rulesFor(fresh.map(({ path }) => path));
  const known = rules.filter((rule) => rule !== undefined).slice(0, MAX_RULES);
  const more = rules.length - known.length;
  const rest = known.length === 0 ? `(a rule for each of ${more} paths)` : `(and ${more} more rules like these)`;
  return [
    ...shortList(describeGroups(fresh)),
    'Nobody approved this call, so new dot-files, new files in dot-folders and new executables need a rule that names them.',
    'To keep them, a person must add to the policy:',
    ...known.map(shortened),
    ...(more > 0 ? [rest] : []),
    'Then run the command again.',
  ];
}

export function isNew({ why }: LeftOut): boolean {
  return why === 'new-hidden' || why === 'new-linked' || why === 'new-executable';
}

/** Combines the files in one dot-folder into one line. */
function describeGroups(fresh: readonly LeftOut[]): string[] {
  const groups = new Map<string, LeftOut[]>();
  for (const one of fresh) {
    const folder = patternFor(one.path).replace(/\/\*\*$/, '');
    const group = groups.get(folder);
    if (group === undefined) groups.set(folder, [one]);
    else group.push(one);
  }
  return [...groups].flatMap(([folder, files]) => {
    const inside = files.filter(({ path }) => path !== folder);
    if (inside.length === 0) return files.map((one) => (isWhole(one) ? describeWhole(one) : describeOne(one)));
    return [`${shownPath(folder)}: ${inside.length} new ${inside.length === 1 ? 'file' : 'files'} in a dot-folder`];
  });
}

function isWhole({ path }: LeftOut): boolean {
  return patternFor(path) !== path;
}

function describeWhole({ path }: LeftOut): string {
  return `${shownPath(path)}: has new dot-files or executables, so none of it was applied`;
}

function describeOne({ path, why }: LeftOut): string {
  return `${shownPath(path)}: ${WORDS[why]}`;
}

function shortList(lines: readonly string[]): string[] {
  const rest = lines.length - MAX_NAMED;
  return rest > 0 ? [...lines.slice(0, MAX_NAMED), `and ${rest} more`] : [...lines];
}

/** A command chooses its file names, so a name must not start a new line, hide characters or imitate our text. */
function shownPath(path: string): string {
  const text = shortened(path);
  if (!/[\p{C}\p{Z}:"'\\]/u.test(text)) return text;
  return JSON.stringify(text).replaceAll(/(?! )[\p{C}\p{Z}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}

function shortened(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 100)}…${text.slice(-60)}`;
}
