import type { SignedHead } from '@countersign/protocol';
import { secondWords } from '../text/clock-words.js';
import type { HeadFinding } from './check-heads.js';

/** What outside the home vouches for a log. */
export type Anchor =
  | { kind: 'none' }
  | {
      kind: 'heads';
      heads: number;
      /** When the first of the heads was made. */
      since: string;
      /** Up to which record they vouch. */
      records: number;
      /** The keys that signed them. None: they are worth as much as the place where they were kept. */
      keys: readonly string[];
    };

export function anchorOf(heads: readonly SignedHead[]): Anchor {
  const since = heads.map(({ at }) => at).reduce((a, b) => (Date.parse(b) < Date.parse(a) ? b : a));
  const keys = new Set(heads.flatMap(({ signature }) => signature?.key ?? []));
  return {
    kind: 'heads',
    heads: heads.length,
    since,
    records: heads.reduce((most, { seq }) => Math.max(most, seq), 0),
    keys: [...keys],
  };
}

interface Whole {
  readonly records: number;
  readonly unguarded?: number;
  readonly anchor: Anchor;
}

/** Which heads were trusted and since when, and what nothing vouches for. */
export function anchorWords({ records, unguarded = 0, anchor }: Whole): string[] {
  if (records === 0) return [];
  const missing =
    unguarded === 0
      ? []
      : [`The head file in the home does not know the first ${unguarded} records: it was missing or new at that time.`];
  if (anchor.kind === 'none') {
    const advice = 'Keep heads elsewhere (countersign audit head) and check them with --head.';
    return [
      `Nothing outside this folder vouches for this log: those who can write to the store and the home can rewrite it. ${advice}`,
      ...missing,
    ];
  }
  const { heads, since, keys } = anchor;
  const signed =
    keys.length === 0
      ? 'not signed, so it is only as safe as the place where you kept it'
      : `signed with ${keys.join(', ')}`;
  const what = heads === 1 ? 'a head' : `${heads} heads, the first`;
  const later = records - anchor.records;
  return [
    `Records 1 to ${anchor.records} match ${what} of ${secondWords(since)}, ${signed}.`,
    ...(later === 0 ? [] : [`Nothing outside this folder vouches for the ${later} records after that.`]),
    ...missing,
  ];
}

interface Problem {
  readonly at: number;
  readonly problem: string;
  readonly detail: string;
}

/** Why a log is not the one that a head vouches for. */
export function problemOf(finding: Exclude<HeadFinding, { kind: 'matches' }>): Problem {
  const { head } = finding;
  const by = head.signature === null ? 'not signed' : `signed with ${head.signature.key}`;
  const which = `the head of ${secondWords(head.at)} (record ${head.seq}, ${by})`;
  switch (finding.kind) {
    case 'cut-off':
      return {
        at: finding.records + 1,
        problem: 'cut-off',
        detail: `The log has only ${finding.records} records, fewer than ${which} vouches for.`,
      };
    case 'rewritten':
      return {
        at: head.seq,
        problem: 'rewritten',
        detail: `This record, or one before it, is not what it was when ${which} was made.`,
      };
    case 'other-log':
      return {
        at: 1,
        problem: 'another log',
        detail: `The first record is not the one of ${which}. The head belongs to another store, or the log was replaced.`,
      };
  }
}
