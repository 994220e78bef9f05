import { cellsOf } from './cells.js';
import { graphemes } from './graphemes.js';
import { plainText, proseText } from './plain-text.js';

/** The prefix of every line of untrusted text. */
export const BAR = '  │ ';

/** Text that starts at a given column, with a line break wherever the terminal would wrap. */
interface Wrapped {
  readonly text: string;
  readonly column: number;
}

/**
 * Wraps text at `room` columns, between words if possible. A line wrapped by the terminal would start where only our own text may start (CALL15).
 */
export function wrapFrom(text: string, column: number, room: number, lineBreak: string): Wrapped {
  let out = '';
  let at = column;
  const breakLine = (): void => {
    out += lineBreak;
    at = 0;
  };
  for (const piece of text.replaceAll('\t', '    ').match(/\n|[^\s]+|[^\S\n]+/g) ?? []) {
    if (piece === '\n') {
      breakLine();
      continue;
    }
    const width = cellsOf(piece);
    if (at > 0 && at + width > room && width <= room && piece.trim() !== '') breakLine();
    for (const character of unbroken(piece, room)) {
      const cells = cellsOf(character);
      if (at + cells > room) breakLine();
      out += character;
      at += cells;
    }
  }
  return { text: out, column: at };
}

/** Grapheme clusters that no line break may split, unless one is wider than a line. */
function* unbroken(piece: string, room: number): Generator<string> {
  for (const letter of graphemes(piece)) {
    if (letter.length > 1 && cellsOf(letter) > room) yield* letter;
    else yield letter;
  }
}

/** Wraps untrusted text into lines that fit the terminal. */
export function wrapLines(text: string, columns: number): string[] {
  return wrapFrom(plainText(text), 0, roomIn(columns), '\n').text.split('\n');
}

/** Like `wrapLines`, for messages from agents and people. */
export function wrapProse(text: string, columns: number): string[] {
  return wrapFrom(proseText(text), 0, roomIn(columns), '\n').text.split('\n');
}

export function roomIn(columns: number): number {
  return Math.max(10, columns - BAR.length);
}

/** Puts a bar before every line, so that an agent's text can't imitate a card. */
export function behindBar(text: string, columns: number): string {
  return wrapLines(text.replace(/\n+$/, ''), columns)
    .map((line) => `${BAR}${line}`)
    .join('\n');
}

export function proseBehindBar(text: string, columns: number): string {
  return wrapProse(text.replace(/\n+$/, ''), columns)
    .map((line) => `${BAR}${line}`)
    .join('\n');
}

/**
 * Our own text about untrusted things (a path, a rule), indented so that no line starts at the column of a card. Continuation lines are
 * indented further, because they may start with untrusted text.
 */
export function indented(text: string, columns: number): string {
  return wrapLines(text.replaceAll(/\s*\n\s*/g, ' '), columns)
    .map((line, index) => `${index === 0 ? '  ' : '    '}${line}`)
    .join('\n');
}
