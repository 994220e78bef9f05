import { failure, readPiece } from './scan-piece.js';
import type { ParseFailure, PatternEnd, PatternWord, Piece } from '../types.js';

interface Scanned {
  readonly ok: true;
  readonly words: readonly PatternWord[];
  /** Where scanning stopped: at the closing parenthesis, or at the end of the text. */
  readonly end: number;
}

export function hiddenFailure(position: number): ParseFailure {
  return failure('an invisible character must be written as \\u{…}', position);
}

/** Parses words from `from` up to the closing parenthesis or the end. The caller has already rejected hidden characters. */
export function scanPattern(text: string, from: number, until: PatternEnd): Scanned | ParseFailure {
  const words: PatternWord[] = [];
  let word: Piece[] | undefined;
  let at = from;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === ' ' || character === '\t') {
      if (word) words.push(word);
      word = undefined;
      at += 1;
    } else if (character === ')' && until === 'parenthesis') {
      if (word) words.push(word);
      return { ok: true, words, end: at };
    } else if (character === '(' || character === ')') {
      return failure('a parenthesis inside a pattern must be quoted', at);
    } else {
      word ??= [];
      const next = readPiece(text, at, word);
      if (typeof next !== 'number') return next;
      at = next;
    }
  }
  if (until === 'parenthesis') return failure('the closing parenthesis is missing', at);
  if (word) words.push(word);
  return { ok: true, words, end: at };
}
