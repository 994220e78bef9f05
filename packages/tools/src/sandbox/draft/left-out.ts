/** A change that was not taken over from a draft. */
export interface LeftOut {
  /** From the working folder. */
  readonly path: string;
  readonly why: 'runs-later' | 'rule' | 'repository' | 'link' | 'ours' | 'no-file' | 'name';
}

const WORDS: Readonly<Record<LeftOut['why'], string>> = {
  'runs-later': 'programs outside the sandbox run it by themselves; write_file asks a person for it',
  rule: 'a rule denies it, or has to be asked about it',
  repository: 'a repository is made, moved or removed only by a person',
  link: 'by a link in a repository Git would write elsewhere',
  ours: 'it belongs to Countersign itself',
  'no-file': 'it is a pipe, a socket or a device',
  name: 'its name is not UTF-8, or its path too long',
};

const MOST_NAMED = 10;

/** For the model and the person: what they will not find in the folder, and why. */
export function describeLeftOut(leftOut: readonly LeftOut[]): string | undefined {
  if (leftOut.length === 0) return undefined;
  const lines = leftOut.slice(0, MOST_NAMED).map(({ path, why }) => `${shortened(path)}: ${WORDS[why]}`);
  const rest = leftOut.length - lines.length;
  if (rest > 0) lines.push(`and ${rest} more`);
  return `Not all that the command wrote was taken over into the working folder.\n${lines.join('\n')}`;
}

function shortened(path: string): string {
  return path.length <= 200 ? path : `${path.slice(0, 100)}…${path.slice(-60)}`;
}
