import type { Preview } from '@countersign/protocol';
import { structuredPatch, type StructuredPatchHunk } from 'diff';

const CONTEXT = 3;
/** The maximum number of lines shown by default, and of changes to search for, because the search is quadratic in the number of changes. */
const MAX_LINES = 600;
const LONGEST_LINE = 1_000;
/** The maximum number of lines in both texts. A preview must not block the server. */
const MAX_COMPARED = 50_000;

/** The change to a file in `diff -u` format, for people. `before` is undefined if the file doesn't exist yet. */
export function unifiedDiff(
  name: string,
  before: string | undefined,
  after: string,
  most: number = MAX_LINES,
): Preview {
  const shown = oneLine(name);
  const head = [`--- ${before === undefined ? '/dev/null' : `a/${shown}`}`, `+++ b/${shown}`];
  const preview = (lines: readonly string[], truncated: boolean): Preview => ({
    text: [...head, ...lines].join('\n'),
    truncated,
  });
  const hunks = hunksOf(before ?? '', after);
  if (hunks === undefined) return preview(['(too many changes to compare line by line)'], true);
  if (hunks.length === 0) return preview([before === undefined ? '(a new, empty file)' : '(no changes)'], false);
  const body = hunks.flatMap((hunk) => [headOf(hunk), ...hunk.lines]);
  const rest = body.length - most;
  const lines = body.slice(0, most).map(shorten);
  if (rest > 0) return preview([...lines, `[${rest} more lines of this change are not shown.]`], true);
  return preview(
    lines,
    body.some((line) => !line.startsWith(' ') && line.length > 1 + LONGEST_LINE),
  );
}

/** Undefined if the texts are too long or too different to compare. */
function hunksOf(before: string, after: string): readonly StructuredPatchHunk[] | undefined {
  if (countLines(before) + countLines(after) > MAX_COMPARED) return undefined;
  const how = { context: CONTEXT, maxEditLength: before === '' ? MAX_COMPARED : MAX_LINES };
  return structuredPatch('', '', before, after, undefined, undefined, how)?.hunks;
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0 && count <= MAX_COMPARED; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
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

function headOf({ oldStart, oldLines, newStart, newLines }: StructuredPatchHunk): string {
  // In the unified format, an empty range starts one line earlier.
  const range = (start: number, count: number): string =>
    `${count === 0 ? start - 1 : start}${count === 1 ? '' : `,${count}`}`;
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`;
}
