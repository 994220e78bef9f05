import { failure, readPiece } from '../patterns/scan-piece.js';
import type { Comparison, Condition, Named, ParseFailure, PatternEnd, PatternWord, Piece } from '../types.js';

const NAME = /[\p{L}_$][\p{L}\p{N}_$.-]*/uy;
const OPERATOR = /!==?|===?|=>|=<|<>|~=|>=|<=|>|<|=/y;
const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** `words`: not conditions. `looksNamed`: the first word is a condition, so the author probably meant conditions. */
export type ScannedNamed =
  | { readonly kind: 'named'; readonly named: Named; readonly end: number }
  | { readonly kind: 'words'; readonly looksNamed: boolean }
  | { readonly kind: 'malformed'; readonly failure: ParseFailure };

/**
 * Parses conditions on named arguments: `to=bob, amount > 100, *`. Conditions that are separated by spaces (`amount=20 to=bob`) may also be
 * the words of a command.
 */
export function scanNamed(text: string, from: number, until: PatternEnd): ScannedNamed {
  const conditions: Condition[] = [];
  let separator: Named['separator'] = 'comma';
  let joined = false;
  let at = skipBlanks(text, from);
  for (let comma = true; !endsAt(text, at, until);) {
    if (conditions.length > 0 && !comma) separator = 'blank';
    const afterStar = skipBlanks(text, at + 1);
    if (text.charAt(at) === '*' && conditions.length > 0 && endsAt(text, afterStar, until)) {
      return { kind: 'named', named: { conditions, open: true, separator, joined }, end: afterStar };
    }
    const read = readCondition(text, at);
    if (read === undefined) {
      if (conditions.length === 0) return { kind: 'words', looksNamed: false };
      if (!comma && !/[<>=!]/.test(text.charAt(at))) return { kind: 'words', looksNamed: true };
      return malformed(comma ? EXPECTED : `put ${SPACE}`, at);
    }
    if ('error' in read) return { kind: 'malformed', failure: read };
    conditions.push(read.condition);
    joined ||= read.joined;
    comma = text.charAt(read.next) === ',';
    at = skipBlanks(text, read.next + (comma ? 1 : 0));
    if (comma && endsAt(text, at, until)) return malformed('expected another condition after the comma', at);
  }
  if (conditions.length === 0) return { kind: 'words', looksNamed: false };
  return { kind: 'named', named: { conditions, open: false, separator, joined }, end: at };
}

/** How to fix `to=bob,amount > 5`. */
export const SPACE =
  "a space after each comma between arguments, and quote values that contain a comma, as in name='a,b'";
const EXPECTED = 'expected name=value, name > 100 or a final *; quote values that contain a comma';

function malformed(error: string, position: number): ScannedNamed {
  return { kind: 'malformed', failure: failure(error, position) };
}

function endsAt(text: string, at: number, until: PatternEnd): boolean {
  return until === 'parenthesis' ? text.charAt(at) === ')' : at >= text.length;
}

/** Undefined if no condition starts here; a failure if an invalid one does. */
function readCondition(
  text: string,
  from: number,
): { condition: Condition; joined: boolean; next: number } | ParseFailure | undefined {
  const named = readName(text, from);
  if (named === undefined) return undefined;
  const { name } = named;
  if (endsAtComma(text, named.next)) return failure(EXPECTED, from);
  const operatorAt = skipBlanks(text, named.next);
  OPERATOR.lastIndex = operatorAt;
  const operator = OPERATOR.exec(text)?.[0];
  if (operator === undefined) return undefined;
  const behind = operatorAt + operator.length;
  // `a= b=x` is an empty `a` and a `b`. `a = b` has spaces on both sides.
  const valueAt = operator === '=' && operatorAt === named.next ? behind : skipBlanks(text, behind);
  const value = readValue(text, valueAt);
  if (value === undefined) return undefined;
  const { word, next, joined } = value;
  if (operator === '=') return { condition: { kind: 'equal', name, value: word }, joined, next };
  if (!isComparison(operator)) {
    return failure(
      `unknown operator ${operator}. Use =, <, <=, > or >=, and quote a value that starts with one`,
      operatorAt,
    );
  }
  const number = literalNumber(word);
  if (number === undefined) return failure('expected a plain number, such as 100 or -1.5', valueAt);
  return { condition: { kind: 'compare', name, operator, number }, joined, next };
}

function isComparison(operator: string): operator is Comparison {
  return COMPARISONS.has(operator);
}

const COMPARISONS: ReadonlySet<string> = new Set<Comparison>(['<', '<=', '>', '>=']);

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

/** Reads up to a space, a closing parenthesis, or a comma before a space. `joined`: the value contains an unquoted comma. */
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

/** The number, if the pattern is a literal number. */
export function literalNumber(word: PatternWord): number | undefined {
  const [only, second] = word;
  return only !== undefined && second === undefined && 'text' in only ? readNumber(only.text) : undefined;
}

/** A double can't represent more digits exactly, so the comparison would use a different number. */
const MAX_DIGITS = 15;

export function readNumber(text: string): number | undefined {
  const trimmed = text.trim();
  if (!NUMBER.test(trimmed) || trimmed.replace(/[eE].*$/, '').replaceAll(/\D/g, '').length > MAX_DIGITS)
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
