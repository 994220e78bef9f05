import type { SignedHead } from '@countersign/protocol';
import type { HeadFinding } from './check-heads.js';
import { auditWords as words } from '../words/audit.js';

/** The heads stored outside the home folder that protect a log. */
export type Anchor =
  | { kind: 'none' }
  | {
      kind: 'heads';
      heads: number;
      /** When the oldest head was created. */
      since: string;
      /** The last record that the heads cover. */
      records: number;
      /** The keys that signed the heads. If empty, the heads are only as trustworthy as the place where they were stored. */
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

/** Says which heads were used, since when, and which records no head covers. */
export function anchorText({ records, unguarded = 0, anchor }: Whole): string[] {
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

/** Why a log doesn't match a head. */
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
