import { MANY } from './patterns/match-sequence.js';
import type { PathPattern } from './patterns/path-pattern.js';
import type { Bases } from './patterns/path-text.js';
import type { MatchableSubject } from './matchable-call.js';
import type { PatternWord } from './types.js';

/** An index key: a whole word of a command, or a whole segment of a path or possible path. */
export interface Key {
  readonly kind: 'word' | 'segment';
  readonly text: string;
}

/** The compiled arguments of a rule. */
export interface Matcher {
  /** Whether the rule has no pattern, or one that matches any arguments. */
  readonly any: boolean;
  /** A value that a subject must contain to match. Rules are indexed by it, so a thousand rules cost little more than one. */
  readonly key?: Key;
  readonly matches: (subject: MatchableSubject, bases: Bases) => boolean;
  /** For an allow rule that would match except for its star: why the star doesn't cover the words. */
  readonly missedBy?: (subject: MatchableSubject) => 'star' | 'no-sandbox' | undefined;
}

export function isLoneStar(word: PatternWord | undefined): boolean {
  const only = word?.[0];
  return word?.length === 1 && only !== undefined && 'stars' in only && only.stars === 1;
}

/** The first word without stars. */
export function wordKey(words: readonly PatternWord[]): Key | undefined {
  for (const word of words) {
    const [only] = word;
    if (only === undefined) return { kind: 'word', text: '' };
    if (word.length === 1 && 'text' in only) return { kind: 'word', text: only.text };
  }
  return undefined;
}

/** The first segment without stars. */
export function segmentKey(pattern: PathPattern): Key | undefined {
  for (const segment of pattern.segments) {
    if (segment !== MANY && segment.length === 1) return { kind: 'segment', text: segment[0] ?? '' };
  }
  return undefined;
}
