import { rulesFor, type WhyNew } from './new-files.js';

/** A change that was not applied from a draft. */
export interface LeftOut {
  /** From the working folder. */
  readonly path: string;
  readonly why: 'runs-later' | 'git-unknown' | 'rule' | 'repository' | 'link' | 'ours' | 'no-file' | 'name' | WhyNew;
}

const WORDS: Readonly<Record<LeftOut['why'], string>> = {
  'runs-later': 'programs outside the sandbox run it by themselves; use write_file, which asks a person',
  'git-unknown':
    "Git's settings can't be read, so it may run outside the sandbox; install Git in a system folder, or repair its settings",
  rule: 'a rule denies it, or has to be asked about it',
  repository: 'only a person can create, move or remove a repository',
  link: 'Git would follow this link and write elsewhere',
  ours: 'it belongs to Countersign itself',
  'no-file': 'it is a pipe, a socket or a device',
  name: 'its name is not UTF-8, or its path is too long',
  'new-hidden': 'a new dot-file, or in a dot-folder',
  'new-executable': 'a new executable',
};

const MOST_NAMED = 10;
const MOST_RULES = 5;

/** For the model and the person: what they will not find in the folder, why, and how to let it in. */
export function describeLeftOut(leftOut: readonly LeftOut[]): string | undefined {
  if (leftOut.length === 0) return undefined;
  const fresh = leftOut.filter(isNew);
  const parts = [
    ...listed(
      leftOut.filter((one) => !isNew(one)),
      MOST_NAMED,
    ),
    ...describeNew(fresh),
  ];
  return `Not everything the command wrote was applied to the working folder.\n${parts.join('\n')}`;
}

function describeNew(fresh: readonly LeftOut[]): string[] {
  if (fresh.length === 0) return [];
  const rules = rulesFor(fresh.map(({ path }) => path));
  const known = rules.filter((rule) => rule !== undefined);
  const more = rules.length - Math.min(known.length, MOST_RULES);
  return [
    ...listed(fresh, MOST_NAMED),
    'Nobody approved this very call, so new dot-files, new files in dot-folders and new executables need a rule that names them.',
    'To keep them, a person adds to the policy:',
    ...known.slice(0, MOST_RULES).map(shortened),
    ...(more > 0 ? [`(and a rule for each of ${more} more)`] : []),
    'Then run the command again.',
  ];
}

export function isNew({ why }: LeftOut): boolean {
  return why === 'new-hidden' || why === 'new-executable';
}

function listed(leftOut: readonly LeftOut[], most: number): string[] {
  const lines = leftOut.slice(0, most).map(({ path, why }) => `${shortened(path)}: ${WORDS[why]}`);
  return leftOut.length > most ? [...lines, `and ${leftOut.length - most} more`] : lines;
}

function shortened(path: string): string {
  return path.length <= 200 ? path : `${path.slice(0, 100)}…${path.slice(-60)}`;
}
