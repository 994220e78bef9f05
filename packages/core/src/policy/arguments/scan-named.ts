import { readPiece } from '../scan-piece.js';
import type { Comparison, Condition, Named, PatternEnd, PatternWord, Piece } from '../types.js';

const NAME = /[\p{L}_$][\p{L}\p{N}_$.-]*/uy;
const OPERATOR = />=|<=|>|<|=/y;
const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Reads conditions on named arguments: `to=bob, amount > 100, *`. Undefined if the text is anything else; then it is a pattern of
 * words. Conditions used to be separated by blanks (`amount=20 to=bob`), and stored rules still are.
 */
export function scanNamed(
  text: string,
  from: number,
  until: PatternEnd,
): (Named & { readonly end: number }) | undefined {
  const conditions: Condition[] = [];
  let separator: Named['separator'] = 'comma';
  let joined = false;
  let at = skipBlanks(text, from);
  for (let comma = true; !endsAt(text, at, until);) {
    if (conditions.length > 0 && !comma) separator = 'blank';
    if (text.charAt(at) === '*' && endsAt(text, skipBlanks(text, at + 1), until)) {
      return conditions.length === 0
        ? undefined
        : { conditions, open: true, separator, joined, end: skipBlanks(text, at + 1) };
    }
    const read = readCondition(text, at);
    if (read === undefined) return undefined;
    conditions.push(read.condition);
    joined ||= read.joined;
    comma = text.charAt(read.next) === ',';
    at = skipBlanks(text, read.next + (comma ? 1 : 0));
    // `to=bob,` has lost its second half.
    if (comma && endsAt(text, at, until)) return undefined;
  }
  return conditions.length === 0 ? undefined : { conditions, open: false, separator, joined, end: at };
}

function endsAt(text: string, at: number, until: PatternEnd): boolean {
  return until === 'parenthesis' ? text.charAt(at) === ')' : at >= text.length;
}

function readCondition(
  text: string,
  from: number,
): { condition: Condition; joined: boolean; next: number } | undefined {
  const named = readName(text, from);
  if (named === undefined) return undefined;
  const operatorAt = skipBlanks(text, named.next);
  OPERATOR.lastIndex = operatorAt;
  const operator = OPERATOR.exec(text)?.[0];
  if (operator === undefined) return undefined;
  const behind = operatorAt + operator.length;
  // `a= b=x` is an empty `a` and a `b`; `a = b` is written with blanks on both sides.
  const valueAt = operator === '=' && operatorAt === named.next ? behind : skipBlanks(text, behind);
  const value = readValue(text, valueAt);
  if (value === undefined) return undefined;
  const { word, next, joined } = value;
  if (operator === '=') return { condition: { kind: 'equal', name: named.name, value: word }, joined, next };
  const number = literalNumber(word);
  if (number === undefined) return undefined;
  return { condition: { kind: 'compare', name: named.name, operator: operator as Comparison, number }, joined, next };
}

function readName(text: string, from: number): { name: string; next: number } | undefined {
  if (text.charAt(from) === "'" || text.charAt(from) === '"') {
    const pieces: Piece[] = [];
    const next = readPiece(text, from, pieces);
    const [only] = pieces;
    return typeof next === 'number' ? { name: only !== undefined && 'text' in only ? only.text : '', next } : undefined;
  }
  NAME.lastIndex = from;
  const name = NAME.exec(text)?.[0];
  return name === undefined ? undefined : { name, next: from + name.length };
}

/** Up to a blank, a closing parenthesis, or a comma before a blank. `joined`: it has a comma of its own that is not quoted. */
function readValue(text: string, from: number): { word: PatternWord; next: number; joined: boolean } | undefined {
  const word: Piece[] = [];
  let joined = false;
  let at = from;
  while (at < text.length) {
    const character = text.charAt(at);
    if (isBlank(character) || character === ')' || endsAtComma(text, at)) break;
    if (character === '(') return undefined;
    if (character === ',') joined = true;
    const next = character === '*' ? readStars(text, at, word) : readPiece(text, at, word);
    if (typeof next !== 'number') return undefined;
    at = next;
  }
  return { word, next: at, joined };
}

function readStars(text: string, at: number, word: Piece[]): number | undefined {
  const count = text.charAt(at + 1) === '*' ? 2 : 1;
  const end = at + count;
  const last = word.at(-1);
  if (text.charAt(end) === '*' || (last !== undefined && 'stars' in last)) return undefined;
  const after = text.charAt(end);
  const begins = last === undefined || last.text.endsWith('/');
  const ends = after === '' || after === '/' || after === ')' || isBlank(after) || endsAtComma(text, end);
  if (count === 2 && !(begins && ends)) return undefined;
  word.push({ stars: count });
  return end;
}

/** The number that a pattern spells, if it spells one. */
export function literalNumber(word: PatternWord): number | undefined {
  const [only, second] = word;
  return only !== undefined && second === undefined && 'text' in only ? readNumber(only.text) : undefined;
}

/** Digits that a double can't hold would compare as another number. */
const MOST_DIGITS = 15;

export function readNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (!NUMBER.test(trimmed) || trimmed.replace(/[eE].*$/, '').replaceAll(/\D/g, '').length > MOST_DIGITS)
    return undefined;
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : undefined;
}

function endsAtComma(text: string, at: number): boolean {
  const after = text.charAt(at + 1);
  return text.charAt(at) === ',' && (after === '' || after === ')' || isBlank(after));
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t';
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (isBlank(text.charAt(at))) at += 1;
  return at;
}
