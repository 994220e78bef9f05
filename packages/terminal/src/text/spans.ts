import stringWidth from 'string-width';
import { exactText, plainLine, plainText, proseLine, proseText } from './plain-text.js';
import { graphemes, NARROW } from './graphemes.js';

/** Semantic colours; state is never shown by colour alone. */
export type Colour = 'waiting' | 'good' | 'bad' | 'do' | `agent ${number}`;

/** A piece of a line in one style. Create it with `span`, which removes line feeds and cursor movement. */
export interface Span {
  readonly text: string;
  readonly colour?: Colour | undefined;
  readonly bold?: boolean | undefined;
  readonly dim?: boolean | undefined;
  readonly inverse?: boolean | undefined;
}
export type Line = readonly Span[];
/** The style of a span. */
export type Look = Omit<Span, 'text'>;

const TAB = '    ';
/** No script has longer clusters. Without a limit, endless combining marks would fill one cell. */
const LONGEST_CLUSTER = 32;

export function span(text: string, look: Look = {}): Span {
  return { text: plainLine(text), ...look };
}

export function proseSpan(text: string, look: Look = {}): Span {
  return { text: proseLine(text), ...look };
}

/** Width in cells. */
export function widthOf(text: string): number {
  return NARROW.test(text) ? text.length : stringWidth(text);
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** The grapheme clusters of a text with their widths. */
export function clusters(text: string): { text: string; width: number }[] {
  if (NARROW.test(text)) return Array.from(text, (character) => ({ text: character, width: 1 }));
  return Array.from(graphemes(text), (segment) => {
    const shown = segment.length > LONGEST_CLUSTER ? `${segment.slice(0, LONGEST_CLUSTER)}…` : segment;
    return { text: shown, width: widthOf(shown) };
  });
}

/** Wraps untrusted text, between words if possible. */
export function wrapWords(text: string, width: number): string[] {
  return lines(plainText(text)).flatMap((line) => wrapLine(line, width, 'words'));
}

/** Like `wrapWords`, for messages from agents and people. */
export function wrapProse(text: string, width: number): string[] {
  return lines(proseText(text)).flatMap((line) => wrapLine(line, width, 'words'));
}

/** Like `wrapWords`, for text that will run: wraps anywhere and drops nothing, not even a space. */
export function wrapExact(text: string, width: number): string[] {
  return lines(exactText(text)).flatMap((line) => wrapLine(line, width, 'anywhere'));
}

/** Like `wrapExact`, for paths: wraps after a slash or a space if possible. */
export function wrapPath(text: string, width: number): string[] {
  return lines(exactText(text)).flatMap((line) => wrapLine(line, width, 'path'));
}

function lines(text: string): string[] {
  return text.replaceAll('\t', TAB).split('\n');
}

function wrapLine(line: string, width: number, where: 'words' | 'path' | 'anywhere'): string[] {
  const atWords = where === 'words';
  const breaks = { words: ' ', path: ' /', anywhere: '' }[where];
  const room = Math.max(2, width);
  if (line.length * 2 <= room || (line.length <= room && widthOf(line) <= room)) return [line];
  const wrapped: string[] = [];
  let current: { text: string; width: number }[] = [];
  let used = 0;
  for (const cluster of clusters(line)) {
    if (used + cluster.width > room) {
      const rest = afterLast(breaks, current);
      const kept = current.slice(0, current.length - rest.length);
      wrapped.push(joined(kept).replace(atWords ? / +$/ : /$^/, ''));
      current = rest;
      used = rest.reduce((sum, each) => sum + each.width, 0);
      if (atWords && cluster.text === ' ' && current.length === 0) continue;
    }
    current.push(cluster);
    used += cluster.width;
  }
  return [...wrapped, joined(current)];
}

function joined(parts: readonly { text: string }[]): string {
  return parts.map(({ text }) => text).join('');
}

/** The last, unfinished word. Empty if the whole line is one word. */
function afterLast<T extends { text: string }>(breaks: string, parts: readonly T[]): T[] {
  const at = parts.findLastIndex(({ text }) => text !== '' && breaks.includes(text));
  return at <= 0 ? [] : parts.slice(at + 1);
}

/** Truncates to one line of a width, with an ellipsis. */
export function cut(text: string, width: number): string {
  return cutPlain(plainLine(shortened(text, width)), width);
}

/** Like `cut`, for a chat's title. */
export function cutProse(text: string, width: number): string {
  return cutPlain(proseLine(shortened(text, width)), width);
}

/** Shortens long text before measuring it. */
function shortened(text: string, width: number): string {
  return text.length > width * 8 + 64 ? `${text.slice(0, width * 8 + 64)}…` : text;
}

/** `plain` must already be safe to show. */
function cutPlain(plain: string, width: number): string {
  if (widthOf(plain) <= width) return plain;
  let shown = '';
  let used = 0;
  for (const cluster of clusters(plain)) {
    if (used + cluster.width > width - 1) break;
    shown += cluster.text;
    used += cluster.width;
  }
  return width <= 0 ? '' : `${shown}…`;
}

/** Left and right parts on one line of this width. The left part is truncated if needed. */
export function spread(left: Line, right: Line, width: number): Line {
  const room = width - lineWidth(right);
  const kept = cutLine(left, Math.max(0, room - (right.length === 0 ? 0 : 1)));
  return [...kept, { text: ' '.repeat(Math.max(0, room - lineWidth(kept))) }, ...right];
}

export function cutLine(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line;
  const kept: Span[] = [];
  let room = width;
  for (const piece of line) {
    const wide = widthOf(piece.text);
    if (wide <= room - 1) {
      kept.push(piece);
      room -= wide;
      continue;
    }
    kept.push({ ...piece, text: cutPlain(shortened(`${piece.text} `, room), room) });
    break;
  }
  return kept;
}

export function padLine(line: Line, width: number): Line {
  return spread(line, [], width);
}

/** The text of a line without styles. */
export function textOf(line: Line): string {
  return line.map(({ text }) => text).join('');
}
