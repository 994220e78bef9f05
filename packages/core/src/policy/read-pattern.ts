import { scanNamed } from './arguments/scan-named.js';
import { findHidden } from './hidden-characters.js';
import { hiddenFailure, scanPattern } from './scan-pattern.js';
import type { Named, ParseFailure, PatternEnd, PatternWord } from './types.js';

/** Reads an argument pattern that stands alone, as in a grant. */
export function parsePattern(text: string): { ok: true; words?: readonly PatternWord[]; named?: Named } | ParseFailure {
  const hidden = findHidden(text);
  return hidden >= 0 ? hiddenFailure(hidden) : readPattern(text, 0, 'end');
}

/** A pattern as conditions on named arguments, as words, or as both where it can be read either way. */
export function readPattern(
  text: string,
  from: number,
  until: PatternEnd,
): { ok: true; words?: readonly PatternWord[]; named?: Named; end: number } | ParseFailure {
  const named = scanNamed(text, from, until);
  const scanned = scanPattern(text, from, until);
  if (named === undefined) return scanned;
  const { end, ...conditions } = named;
  return { ok: true, named: conditions, end, ...(scanned.ok ? { words: scanned.words } : {}) };
}
