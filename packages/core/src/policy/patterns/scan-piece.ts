import type { ParseFailure, Piece } from '../types.js';

type Character = { readonly ok: true; readonly text: string; readonly next: number };

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** Parses the piece at `at`, adds it to the word, and returns the next position. */
export function readPiece(text: string, at: number, word: Piece[]): number | ParseFailure {
  switch (text.charAt(at)) {
    case '*':
      return readStars(text, at, word);
    case "'": {
      const close = text.indexOf("'", at + 1);
      if (close < 0) return failure("the closing ' is missing", at);
      appendText(word, text.slice(at + 1, close));
      return close + 1;
    }
    case '"':
      return readDoubleQuoted(text, at, word);
    case '\\': {
      const escaped = readEscape(text, at);
      if (!escaped.ok) return escaped;
      appendText(word, escaped.text);
      return escaped.next;
    }
    default:
      appendText(word, text.charAt(at));
      return at + 1;
  }
}

function readStars(text: string, at: number, word: Piece[]): number | ParseFailure {
  let end = at;
  while (text.charAt(end) === '*') end += 1;
  const count = end - at;
  if (count > 2) return failure('use at most two stars in a row', at);
  // `*''*` also consists of two adjacent stars.
  const last = word.at(-1);
  if (last && 'stars' in last) return failure('use at most two stars in a row', at);
  if (count === 2 && !isWholeSegment(last, text.charAt(end))) {
    return failure('** must be a whole path segment, as in ./src/**/*.ts', at);
  }
  word.push({ stars: count === 1 ? 1 : 2 });
  return end;
}

/** `src/**.key` looks like "any depth" but would match in one folder only, so a deny rule would miss files. */
function isWholeSegment(before: Piece | undefined, after: string): boolean {
  return (
    (before === undefined || ('text' in before && before.text.endsWith('/'))) &&
    ['', ' ', '\t', ')', '/'].includes(after)
  );
}

function readDoubleQuoted(text: string, open: number, word: Piece[]): number | ParseFailure {
  let at = open + 1;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '"') return at + 1;
    if (character === '\\') {
      const escaped = readEscape(text, at);
      if (!escaped.ok) return escaped;
      appendText(word, escaped.text);
      at = escaped.next;
    } else {
      appendText(word, character);
      at += 1;
    }
  }
  return failure('the closing " is missing', open);
}

/**
 * Parses `\n`, `\r`, `\t`, `\u{…}`, or a backslash before any character that is not a letter or digit. Other letters are rejected:
 * `\d` suggests a regular expression, and would silently match `d`.
 */
function readEscape(text: string, at: number): Character | ParseFailure {
  const unicode = /^\\u\{([0-9A-Fa-f]{1,6})\}/.exec(text.slice(at, at + 10));
  if (unicode?.[1] !== undefined) {
    const code = Number.parseInt(unicode[1], 16);
    if (code > 0x10_ff_ff) return failure('invalid code point', at);
    return { ok: true, text: String.fromCodePoint(code), next: at + unicode[0].length };
  }
  const code = text.codePointAt(at + 1);
  if (code === undefined) return failure('a backslash must be followed by a character', at);
  const character = String.fromCodePoint(code);
  const next = at + 1 + character.length;
  const known = ESCAPES.get(character);
  if (known !== undefined) return { ok: true, text: known, next };
  if (/[\p{L}\p{N}]/u.test(character))
    return failure(`unknown escape \\${character}. Write '\\${character}' for a literal backslash`, at);
  return { ok: true, text: character, next };
}

function appendText(word: Piece[], text: string): void {
  if (text === '') return;
  const last = word.at(-1);
  if (last && 'text' in last) word[word.length - 1] = { text: last.text + text };
  else word.push({ text });
}

export function failure(error: string, position: number): ParseFailure {
  return { ok: false, error, position };
}
