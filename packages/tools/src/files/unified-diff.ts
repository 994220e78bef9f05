import type { Preview } from '@countersign/protocol';
import { lineDiff, type DiffLine } from './line-diff.js';

const CONTEXT = 3;
const MOST_LINES = 600;
const LONGEST_LINE = 1_000;
const NO_END = '\n\\ No newline at end of file';

/** What a file would become, as `diff -u` shows it, for people to read. `before` undefined: there is no such file yet. */
export function unifiedDiff(name: string, before: string | undefined, after: string): Preview {
  const lines = lineDiff(linesOf(before ?? ''), linesOf(after));
  const head = [`--- ${before === undefined ? '/dev/null' : `a/${name}`}`, `+++ b/${name}`];
  const hunks = hunksOf(lines);
  if (hunks.length === 0) {
    const note = before === undefined ? '(a new, empty file)' : '(nothing changes)';
    return { text: [...head, note].join('\n'), truncated: false };
  }
  const body = hunks.flatMap((hunk) => [headOf(lines, hunk), ...lines.slice(hunk.from, hunk.to).map(written)]);
  const rest = body.length - MOST_LINES;
  const shown = rest > 0 ? [...body.slice(0, MOST_LINES), `[${rest} more lines of this change are not shown.]`] : body;
  const truncated = rest > 0 || lines.some(({ sign, text }) => sign !== ' ' && withoutEnd(text).length > LONGEST_LINE);
  return { text: [...head, ...shown].join('\n'), truncated };
}

/** Each with its line feed, so that a missing one at the end is a difference. */
function linesOf(text: string): string[] {
  return text === '' ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? []);
}

function withoutEnd(line: string): string {
  return line.endsWith('\n') ? line.slice(0, -1) : line;
}

function written({ sign, text }: DiffLine): string {
  const whole = text.endsWith('\n');
  const line = withoutEnd(text);
  const cut = line.length - LONGEST_LINE;
  const shown =
    cut > 0 ? `${line.slice(0, LONGEST_LINE)}…\n[${cut} more characters of this line are not shown.]` : line;
  return sign + shown + (whole ? '' : NO_END);
}

interface Hunk {
  from: number;
  to: number;
}

function hunksOf(lines: readonly DiffLine[]): Hunk[] {
  const hunks: Hunk[] = [];
  for (const [index, { sign }] of lines.entries()) {
    if (sign === ' ') continue;
    const from = Math.max(0, index - CONTEXT);
    const to = Math.min(lines.length, index + 1 + CONTEXT);
    const last = hunks.at(-1);
    if (last !== undefined && from <= last.to) last.to = to;
    else hunks.push({ from, to });
  }
  return hunks;
}

function headOf(lines: readonly DiffLine[], { from, to }: Hunk): string {
  const count = (part: readonly DiffLine[], sign: '-' | '+'): number =>
    part.filter((line) => line.sign === ' ' || line.sign === sign).length;
  const range = (sign: '-' | '+'): string => {
    const length = count(lines.slice(from, to), sign);
    const start = count(lines.slice(0, from), sign) + (length === 0 ? 0 : 1);
    return `${sign}${start}${length === 1 ? '' : `,${length}`}`;
  };
  return `@@ ${range('-')} ${range('+')} @@`;
}
