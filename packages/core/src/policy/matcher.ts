import { MANY } from './patterns/match-sequence.js';
import type { PathPattern } from './patterns/path-pattern.js';
import type { Bases } from './patterns/path-text.js';
import type { PreparedSubject } from './prepare-call.js';
import type { PatternWord } from './types.js';

/** A whole word of a command, or a whole segment of a path or of a word that may name one. */
export interface Key {
  readonly kind: 'word' | 'segment';
  readonly text: string;
}

/** A rule's arguments, ready to be tried. */
export interface Matcher {
  /** Any arguments: the rule has no pattern, or one that leaves nothing out. */
  readonly any: boolean;
  /** What a subject must contain to match at all. Rules are looked up by it, so that a thousand cost little more than one. */
  readonly key?: Key;
  readonly matches: (subject: PreparedSubject, bases: Bases) => boolean;
  /** Of an allow rule that does not match: why its star doesn't stand for the words, if it would match otherwise. */
  readonly missedBy?: (subject: PreparedSubject) => 'star' | 'no-sandbox' | undefined;
}

export function isLoneStar(word: PatternWord | undefined): boolean {
  const only = word?.[0];
  return word?.length === 1 && only !== undefined && 'stars' in only && only.stars === 1;
}

/** The first word that must be there as it stands. */
export function wordKey(words: readonly PatternWord[]): Key | undefined {
  for (const word of words) {
    const [only] = word;
    if (only === undefined) return { kind: 'word', text: '' };
    if (word.length === 1 && 'text' in only) return { kind: 'word', text: only.text };
  }
  return undefined;
}

/** The first segment that must be there as it stands. */
export function segmentKey(pattern: PathPattern): Key | undefined {
  for (const segment of pattern.segments) {
    if (segment !== MANY && segment.length === 1) return { kind: 'segment', text: segment[0] ?? '' };
  }
  return undefined;
}
