import { AFTER_MENTIONS, nextPlaceOf, skipSpace } from './characters.js';
import { findBacktickRuns, findCodeSpans, type Range } from './find-code-spans.js';
import type { NameIndex } from './index-names.js';
import { matchMention } from './match-mention.js';

/**
 * One line of a message. The text from `body` (after leading whitespace) to `proseEnd` is prose, except `code` spans. An `opening` line opens a
 * fence at the end of its prose, after any mentions.
 */
export interface Line {
  kind: 'blank' | 'text' | 'opening' | 'code';
  start: number;
  body: number;
  /** The position where a leading mention would start: after Markdown markers if an `@` follows them, otherwise `body`. */
  lead: number;
  proseEnd: number;
  /** The end of the line, without its line break. */
  end: number;
  /** The start of the next line. */
  next: number;
}

export interface ReadText {
  lines: Line[];
  /** Code ranges in order. Mentions and tags in them are ignored. */
  code: Range[];
}

const LIST_MARKER = /(?:[-*+]|\d{1,9}[.)])[ \t]+/y;
/** List and heading markers and opening emphasis before an `@` (WORLD3). Not `>`, because a quote repeats another author's text. */
const MARKERS = /(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+)*(?:\*{1,3}|_{1,3})?(?=@)/y;
const FENCE = /`{3,}|~{3,}/y;

/** Separates prose from code in one pass. */
export function readLines(content: string, names: NameIndex): ReadText {
  const lines: Line[] = [];
  const code: Range[] = [];
  const findFence = fenceFinder(content, names);
  let fence: string | undefined;
  let paragraph: number | undefined;

  // Inline code ends with its paragraph, so that a stray backtick doesn't hide a mention far below.
  const endParagraph = (end: number): void => {
    if (paragraph === undefined) return;
    const runs = findBacktickRuns(content, paragraph, end);
    if (runs.length > 1) for (const span of findCodeSpans(content, runs)) code.push(span);
    paragraph = undefined;
  };

  const readLine = (start: number, end: number, next: number): void => {
    const body = skipSpace(content, start);
    const line = (kind: Line['kind'], proseEnd = end): void => {
      if (kind !== 'text') endParagraph(start);
      else paragraph ??= start;
      lines.push({ kind, start, body, lead: skipMarkers(content, body), proseEnd, end, next });
      if (kind === 'code') code.push({ start, end });
      if (kind === 'opening') code.push({ start: proseEnd, end });
    };
    if (fence !== undefined) {
      if (closesFence(content, body, end, fence)) fence = undefined;
      return line('code');
    }
    if (body === end) return line('blank');
    // Indented code needs a blank line (or code) before it; elsewhere, indentation is just whitespace.
    if (paragraph === undefined && start > 0 && isIndented(content, start)) return line('code');
    const opening = findFence(body, end);
    if (opening === undefined) return line('text');
    fence = opening.fence;
    return line('opening', opening.at);
  };

  let start = 0;
  const nextFeed = nextPlaceOf(content, '\n');
  const nextReturn = nextPlaceOf(content, '\r');
  for (;;) {
    const end = Math.min(nextFeed(start), nextReturn(start), content.length);
    const next = end + (content[end] === '\r' && content[end + 1] === '\n' ? 2 : 1);
    readLine(start, end, Math.min(next, content.length));
    if (end === content.length) break;
    start = next;
  }
  endParagraph(content.length);
  return { lines, code };
}

/**
 * Finds where a fence opens in a line, skipping leading mentions: `@bob ```js` opens code, and removing a mention must not turn the
 * following prose into code.
 */
function fenceFinder(
  content: string,
  names: NameIndex,
): (body: number, end: number) => { fence: string; at: number } | undefined {
  const nextTicks = nextPlaceOf(content, '```');
  const nextTildes = nextPlaceOf(content, '~~~');
  return (body, end) => {
    if (nextTicks(body) >= end && nextTildes(body) >= end) return undefined;
    const lead = skipMarkers(content, body);
    let at = lead;
    for (;;) {
      const mention = matchMention(content, at, end, names);
      if (mention === undefined) break;
      at = skipSpace(content, skipEmphasis(content, mention.end), AFTER_MENTIONS);
    }
    if (at === lead) at = body;
    let mark = at;
    LIST_MARKER.lastIndex = mark;
    while (LIST_MARKER.test(content)) mark = LIST_MARKER.lastIndex;
    FENCE.lastIndex = mark;
    const fence = FENCE.exec(content)?.[0];
    if (fence === undefined) return undefined;
    const isInline = fence.startsWith('`') && content.slice(mark + fence.length, end).includes('`');
    return isInline ? undefined : { fence, at };
  };
}

/** Skips Markdown markers before an `@`. */
export function skipMarkers(content: string, position: number): number {
  MARKERS.lastIndex = position;
  return MARKERS.test(content) ? MARKERS.lastIndex : position;
}

function skipEmphasis(content: string, position: number): number {
  let end = position;
  while (content[end] === '*' || content[end] === '_') end += 1;
  return end;
}

function closesFence(content: string, body: number, end: number, fence: string): boolean {
  if (!content.startsWith(fence, body)) return false;
  let position = body + fence.length;
  while (content[position] === fence[0]) position += 1;
  return skipSpace(content, position) === end;
}

function isIndented(content: string, start: number): boolean {
  for (let position = start; position < start + 4; position += 1) {
    if (content[position] === '\t') return true;
    if (content[position] !== ' ') return false;
  }
  return true;
}
