/** Characters that bash takes literally anywhere in a word. */
const PLAIN = /[A-Za-z0-9_\-./:=@%+,^]/;
/** Characters that are literal after a backslash or in quotes. */
const VISIBLE_ASCII = /[ -~]/;

/**
 * The value that bash gives to a word that contains only plain characters, backslashes and quotes; undefined for anything else. Computed
 * independently of the parser: only a value on which both agree may run without approval.
 */
export function literalValue(text: string): string | undefined {
  if (text === '{}' || text === '[' || text === ']' || text === '!') return text;
  let value = '';
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    const read = readPiece(text, at, character, value);
    if (read === undefined) return undefined;
    value += read.value;
    at = read.next;
  }
  return text === '' ? undefined : value;
}

type Piece = { readonly value: string; readonly next: number } | undefined;

function readPiece(text: string, at: number, character: string, before: string): Piece {
  if (PLAIN.test(character)) return { value: character, next: at + 1 };
  switch (character) {
    case "'": {
      const close = text.indexOf("'", at + 1);
      return close < 0 ? undefined : { value: text.slice(at + 1, close), next: close + 1 };
    }
    case '"':
      return readDoubleQuoted(text, at);
    case '\\': {
      const escaped = text.charAt(at + 1);
      return VISIBLE_ASCII.test(escaped) ? { value: escaped, next: at + 2 } : undefined;
    }
    case '#':
      return at === 0 ? undefined : { value: character, next: at + 1 };
    case '~':
      // At the start and after `=` and `:`, a tilde expands to a home folder.
      return at === 0 || /[=:]$/.test(before) ? undefined : { value: character, next: at + 1 };
    case '{':
    case '}':
      return text.includes(',') || text.includes('..') ? undefined : { value: character, next: at + 1 };
    default:
      return undefined;
  }
}

function readDoubleQuoted(text: string, open: number): Piece {
  let value = '';
  for (let at = open + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') return { value, next: at + 1 };
    if (character === '$' || character === '`') return undefined;
    if (character !== '\\') {
      value += character;
      continue;
    }
    at += 1;
    const escaped = text.charAt(at);
    if (escaped === '\n') return undefined;
    value += /[$`"\\]/.test(escaped) ? escaped : `\\${escaped}`;
  }
  return undefined;
}
