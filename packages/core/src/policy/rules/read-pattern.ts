import { scanNamed } from '../arguments/scan-named.js';
import { findHidden } from '../patterns/hidden-characters.js';
import { hiddenFailure, scanPattern } from '../patterns/scan-pattern.js';
import type { ParseFailure, PatternEnd, Rule } from '../types.js';

type Pattern = Pick<Rule, 'words' | 'named' | 'looksNamed'>;

/** Parses a standalone argument pattern, as in a grant. */
export function parsePattern(text: string): ({ ok: true } & Pattern) | ParseFailure {
  const hidden = findHidden(text);
  return hidden >= 0 ? hiddenFailure(hidden) : readPattern(text, 0, 'end');
}

/** Parses a pattern as conditions, as words, or as both if it is ambiguous. A comparison is always a condition. */
export function readPattern(
  text: string,
  from: number,
  until: PatternEnd,
): ({ ok: true; end: number } & Pattern) | ParseFailure {
  const scanned = scanNamed(text, from, until);
  const words = scanPattern(text, from, until);
  switch (scanned.kind) {
    case 'words':
      return words.ok && scanned.looksNamed ? { ...words, looksNamed: true } : words;
    case 'malformed':
      // If a parenthesis or closing quote is missing, that error is more useful than the failed condition.
      return words.ok ? scanned.failure : words;
    case 'named': {
      const { named, end } = scanned;
      const compares = named.conditions.some(({ kind }) => kind === 'compare');
      return { ok: true, named, end, ...(words.ok && !compares ? { words: words.words } : {}) };
    }
  }
}
