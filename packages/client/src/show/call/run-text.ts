import type { RunCommit, RunEffect, RunRef, TriedHost } from '@countersign/protocol';

/** One part of a run's card. Every line is on one line, whatever the program wrote into it. */
export interface RunPart {
  readonly title: string;
  readonly lines: readonly string[];
}

/** What a run did besides its files, for people. */
export interface RunText {
  /** Above the files: its commits, and the branches and tags that move. */
  readonly before: readonly RunPart[];
  /** Below the files. */
  readonly after: readonly RunPart[];
  /** What they should know, surprising parts first. */
  readonly notes: readonly string[];
  /** What approving it means. */
  readonly meaning: string;
}

const MEANING = 'The program has ended. Approving applies exactly this, and nothing else that it did.';

const PART_MEANING = 'Approving applies exactly this selection, and nothing else of the run.';

export function runText({ branch, part, ...run }: RunEffect): RunText {
  const moved = (run.refs ?? []).filter(({ how }) => how !== 'stays');
  const stays = (run.refs ?? []).filter(({ how }) => how === 'stays');
  return {
    before: parts([
      ['Part of a run', part === undefined ? [] : [partLine(part)]],
      ['Changes that were asked for', (run.requests ?? []).map(requestLine)],
      ['Since this was last proposed', sinceLines(run.sinceLook)],
      [countOf(run.commits?.length ?? 0, 'commit'), (run.commits ?? []).map(commitLine)],
      ['Branches and tags', moved.map(refLine)],
    ]),
    after: parts([
      ['Ignored files, not applied', (run.notApplied ?? []).map(notAppliedLine)],
      ['References that stay as they are', stays.map(refLine)],
      ['Hosts that it tried to reach', (run.hosts ?? []).map(hostLine)],
      [
        'Environment variables that it could read',
        [(run.variables ?? []).map(oneLine).join(', ')].filter((line) => line !== ''),
      ],
      ['Changed in the folder by others while it ran', (run.changedOutside ?? []).map(oneLine)],
    ]),
    notes: [
      ...(run.notes ?? []).map(oneLine),
      ...(run.exitCode === 0 ? [] : [`The program ended with exit code ${run.exitCode}.`]),
      ...(branch === undefined ? [] : [`Applied as the branch ${oneLine(branch)}. The working tree stays as it is.`]),
      ...(run.login === undefined ? [] : [loginText(run.login)]),
      ...(run.hidden === undefined ? [] : [hiddenText(run.hidden)]),
      ...(run.trackedHidden === true ? ['Git tracks a hidden path, so the program could read its old versions.'] : []),
    ],
    meaning: part === undefined ? MEANING : PART_MEANING,
  };
}

function parts(all: readonly (readonly [title: string, lines: readonly string[]])[]): RunPart[] {
  return all.flatMap(([title, lines]) => (lines.length === 0 ? [] : [{ title, lines }]));
}

function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** A program and its arguments on one line. */
export function programText(words: readonly string[]): string {
  return words.map(word).join(' ');
}

/** With quotes where a shell would need them. */
function word(text: string): string {
  const shown = oneLine(text);
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : JSON.stringify(shown);
}

const MOST_WORDS = 500;

function requestLine({ by, message, comments }: NonNullable<RunEffect['requests']>[number]): string {
  const words = message.replaceAll(/\s+/g, ' ').trim();
  const shown = words.length > MOST_WORDS ? `${words.slice(0, MOST_WORDS)}…` : words;
  return `${oneLine(by)}: ${oneLine(shown)}${comments === 0 ? '' : ` (and ${countOf(comments, 'comment')})`}`;
}

function partLine({ of, by }: NonNullable<RunEffect['part']>): string {
  return `This combination was never run. ${oneLine(by)} selected it from ${oneLine(of)}.`;
}

function sinceLines(since: RunEffect['sinceLook']): string[] {
  if (since === undefined) return [];
  const { added, changed, removed, unlisted } = since;
  const lines = [
    ...changed.map((path) => `${oneLine(path)}: changed again`),
    ...added.map((path) => `${oneLine(path)}: was not part of it`),
    ...removed.map((path) => `${oneLine(path)}: is no longer part of it`),
    ...(unlisted === 0 ? [] : [countOf(unlisted, 'more path')]),
  ];
  return lines.length === 0 ? ['Nothing is different.'] : lines;
}

function commitLine({ id, subject, author, files }: RunCommit): string {
  return `${id.slice(0, 9)} ${oneLine(subject)} (${oneLine(author)}, ${countOf(files, 'file')})`;
}

/** Other reasons are shown as they are. */
const WHY_STAYS: Readonly<Record<string, string>> = {
  'branch-mode': 'its commits are on the new branch',
  'other-ref': 'only branches and tags are applied',
  'no-commit': 'it names no commit',
  'checked-out': 'it is checked out',
  unreadable: 'the Git folder of the draft could not be read',
  'runs-later': 'programs outside the sandbox run its files automatically',
  'git-unknown': 'whether programs outside the sandbox run its files is unknown',
  rule: 'a rule denies it or requires approval for it',
  repository: 'only a person can create, move or remove a repository',
  name: 'a name in it is not UTF-8, or too long',
};

function refLine({ name, from, to, how, why, paths = [] }: RunRef): string {
  const [before, after] = [from?.slice(0, 9), to?.slice(0, 9)];
  const because = why === undefined ? '' : ` (${[WHY_STAYS[why] ?? why, ...paths].map(oneLine).join(': ')})`;
  switch (how) {
    case 'new':
      return `${oneLine(name)}: new, at ${after ?? '?'}`;
    case 'moves':
      return `${oneLine(name)}: ${before ?? '?'} → ${after ?? '?'}`;
    case 'deleted':
      return `${oneLine(name)}: deleted, was ${before ?? '?'}`;
    case 'stays':
      return `${oneLine(name)}${because}`;
  }
}

function notAppliedLine({ path, files, hint }: NonNullable<RunEffect['notApplied']>[number]): string {
  return `${oneLine(path)}: ${countOf(files, 'file')}${hint === undefined ? '' : `; ${hint} makes it again`}`;
}

function hostLine({ host, port, allowed, count }: TriedHost): string {
  const address = port === 0 ? oneLine(host) : `${oneLine(host)}:${port}`;
  const tries = count === 1 ? 'once' : `${count.toLocaleString('en')} times`;
  return allowed
    ? `${address}: reached ${tries}`
    : `${address}: refused ${tries}; allow it next time with --allow-host ${word(host)}`;
}

function hiddenText(count: number): string {
  return `Rules hid ${count === 1 ? '1 path' : `${count.toLocaleString('en')} paths`} from the program.`;
}

function loginText({ agent, file, account, included }: NonNullable<RunEffect['login']>): string {
  switch (account) {
    case 'same':
      return `Renews your login of ${oneLine(agent)} in ${oneLine(file)}.`;
    case 'other':
    case 'unknown': {
      const whose = account === 'other' ? 'another account' : 'an account that can’t be compared';
      if (included === true)
        return `Replaces your login of ${oneLine(agent)} in ${oneLine(file)} with one of ${whose}.`;
      return `The program renewed a login of ${oneLine(agent)}, of ${whose}. It is not written to ${oneLine(file)}, where your login may have ended. To include it, deny this, then use countersign runs apply with --include-login.`;
    }
  }
}

/** Programs choose these names, so they must not start a new line or turn the direction of the text. */
export function oneLine(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16) ?? ''}}`,
  );
}
