import type { SignedHead } from '@countersign/protocol';
import type { HeadFinding } from './check-heads.js';
import { auditWords as words } from '../words/audit.js';

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
  const missing = unguarded === 0 ? [] : [words.headFileBehind(unguarded)];
  if (anchor.kind === 'none') {
    return [words.noAnchor, ...missing];
  }
  const { heads, since, keys } = anchor;
  const later = records - anchor.records;
  return [
    words.matches(anchor.records, words.headCount(heads), since, words.signedWith(keys)),
    ...(later === 0 ? [] : [words.afterHead(later)]),
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
  const which = words.head(head.at, head.seq, head.signature?.key);
  switch (finding.kind) {
    case 'cut-off':
      return {
        at: finding.records + 1,
        problem: 'cut-off',
        detail: words.cutOff(finding.records, which),
      };
    case 'rewritten':
      return {
        at: head.seq,
        problem: 'rewritten',
        detail: words.rewritten(which),
      };
    case 'other-log':
      return {
        at: 1,
        problem: 'another log',
        detail: words.otherLog(which),
      };
  }
}
