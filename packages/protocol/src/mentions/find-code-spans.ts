/** A half-open range: `[start, end)`. */
export interface Range {
  start: number;
  end: number;
}

/** The runs of backticks in a range, in order. */
export function findBacktickRuns(content: string, from: number, to: number): Range[] {
  const runs: Range[] = [];
  for (let position = from; position < to; position += 1) {
    if (content[position] !== '`') continue;
    const start = position;
    while (position + 1 < to && content[position + 1] === '`') position += 1;
    runs.push({ start, end: position + 1 });
  }
  return runs;
}

/**
 * The inline code of one Markdown paragraph: a run of backticks closes at the next run of the same length. Keeps one position per length:
 * otherwise, a megabyte of unequal runs would take minutes.
 */
export function findCodeSpans(content: string, runs: readonly Range[]): Range[] {
  const byLength = new Map<number, { indices: number[]; next: number }>();
  for (const [index, run] of runs.entries()) {
    const length = run.end - run.start;
    const same = byLength.get(length);
    if (same === undefined) byLength.set(length, { indices: [index], next: 0 });
    else same.indices.push(index);
  }
  const closing = (length: number, opening: number): number | undefined => {
    const same = byLength.get(length);
    if (same === undefined) return undefined;
    while ((same.indices[same.next] ?? Infinity) <= opening) same.next += 1;
    return same.indices[same.next];
  };

  const spans: Range[] = [];
  for (let index = 0; index < runs.length; index += 1) {
    const run = runs[index];
    if (run === undefined) break;
    const start = isEscaped(content, run.start) ? run.start + 1 : run.start;
    const close = closing(run.end - start, index);
    const end = close === undefined ? undefined : runs[close]?.end;
    if (close === undefined || end === undefined) continue;
    spans.push({ start, end });
    index = close;
  }
  return spans;
}

function isEscaped(content: string, position: number): boolean {
  let first = position;
  while (content[first - 1] === '\\') first -= 1;
  return (position - first) % 2 === 1;
}
