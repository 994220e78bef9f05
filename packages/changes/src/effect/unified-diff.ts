import type { ChangedFile, Preview } from '@countersign/protocol';
import { compareLines, type MarkedLine } from './compare-lines.js';

const CONTEXT = 3;
const LONGEST_LINE = 1_000;
/** The maximum number of lines in each text. A preview must not block the server. */
const MAX_COMPARED = 20_000;

/** The lines that a change adds and removes, in all of it. */
export type Diff = Preview & Required<Pick<ChangedFile, 'lines'>>;

/**
 * The change to a file in `diff -u` format, for people. `before` is undefined if the file doesn't exist yet. `most`: the maximum number of lines
 * of the diff.
 */
export function unifiedDiff(
  name: string,
  before: string | undefined,
  after: string,
  most: number = Number.POSITIVE_INFINITY,
): Diff {
  const shown = oneLine(name);
  const head = [`--- ${before === undefined ? '/dev/null' : `a/${shown}`}`, `+++ b/${shown}`];
  const preview = (body: readonly string[], truncated: boolean, lines: Diff['lines']): Diff => ({
    text: [...head, ...body].join('\n'),
    truncated,
    lines,
  });
  const [old, now] = [linesOf(before ?? ''), linesOf(after)];
  if (old.length > MAX_COMPARED || now.length > MAX_COMPARED) {
    const note = `(too long to compare: ${old.length} lines are replaced with ${now.length} lines)`;
    return preview([note], true, { added: now.length, removed: old.length });
  }
  if (before === after) return preview(['(the file already has this text)'], false, { added: 0, removed: 0 });
  const marked = compareLines(old, now);
  const added = marked.filter(({ kind }) => kind === '+').length;
  const removed = marked.filter(({ kind }) => kind === '-').length;
  const change = { added, removed };
  const body = hunksOf(marked);
  if (body.length === 0) return preview(['(a new, empty file)'], false, change);
  const rest = body.length - most;
  const lines = body.slice(0, most).map(shorten);
  if (rest > 0) {
    return preview([...lines, `[${rest} more lines of this change are not shown.]`], true, change);
  }
  const truncated = body.some((line) => !line.startsWith(' ') && line.length > 1 + LONGEST_LINE);
  return preview(lines, truncated, change);
}

/** With their line breaks, so that a missing one at the end is a difference. */
function linesOf(text: string): string[] {
  return text === '' ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? []);
}

/** Each block of changed lines with the lines around it, from `start` to before `end`. */
function blocksOf(marked: readonly MarkedLine[]): { start: number; end: number }[] {
  const blocks: { start: number; end: number }[] = [];
  let at = 0;
  while (at < marked.length) {
    let next = at;
    while (marked[next]?.kind === ' ') next += 1;
    if (next === marked.length) break;
    let end = next;
    // Changes that are at most two contexts apart belong together.
    for (let index = next; index < marked.length && index - end <= 2 * CONTEXT; index += 1) {
      if (marked[index]?.kind !== ' ') end = index + 1;
    }
    const start = Math.max(at, next - CONTEXT);
    at = Math.min(marked.length, end + CONTEXT);
    blocks.push({ start, end: at });
  }
  return blocks;
}

function hunksOf(marked: readonly MarkedLine[]): string[] {
  const body: string[] = [];
  let [oldLine, newLine] = [1, 1];
  let at = 0;
  for (const { start, end } of blocksOf(marked)) {
    const hunk = marked.slice(start, end);
    oldLine += start - at;
    newLine += start - at;
    const oldCount = hunk.filter(({ kind }) => kind !== '+').length;
    const newCount = hunk.filter(({ kind }) => kind !== '-').length;
    body.push(`@@ -${range(oldLine, oldCount)} +${range(newLine, newCount)} @@`, ...hunk.flatMap(textOf));
    oldLine += oldCount;
    newLine += newCount;
    at = end;
  }
  return body;
}

/** The old text with some blocks of its diff, counted from 1. Undefined if there is no such block, or if the texts are too long to compare. */
export function takeBlocks(before: string, after: string, wanted: ReadonlySet<number>): string | undefined {
  const [old, now] = [linesOf(before), linesOf(after)];
  if (old.length > MAX_COMPARED || now.length > MAX_COMPARED) return undefined;
  const marked = compareLines(old, now);
  const blocks = blocksOf(marked);
  const taken = blocks.filter((_, index) => wanted.has(index + 1));
  if (taken.length !== wanted.size) return undefined;
  const isTaken = new Set(taken.flatMap(({ start, end }) => marked.slice(start, end)));
  return marked
    .filter((line) => line.kind === ' ' || (line.kind === '+') === isTaken.has(line))
    .map(({ text }) => text)
    .join('');
}

function textOf({ kind, text }: MarkedLine): string[] {
  return text.endsWith('\n') ? [kind + text.slice(0, -1)] : [kind + text, '\\ No newline at end of file'];
}

/** In the unified format, an empty range starts one line earlier. */
function range(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start}${count === 1 ? '' : `,${count}`}`;
}

/** The line includes its leading `+`, `-` or space. */
function shorten(line: string): string {
  const cut = line.length - 1 - LONGEST_LINE;
  if (cut <= 0) return line;
  return `${line.slice(0, 1 + LONGEST_LINE)}…\n[${cut} more characters of this line are not shown.]`;
}

/** Agents choose file names, so a name must not look like a line of the diff. */
function oneLine(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16) ?? ''}}`);
}
