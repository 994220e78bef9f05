export type DiffLine = { readonly sign: ' ' | '-' | '+'; readonly text: string };

/** As many comparisons are made at most; beyond that, what differs is shown as taken out and put in as a whole. */
const MOST_CELLS = 4_000_000;

/** What was taken out and put in, line by line, with as much as possible left alone. */
export function lineDiff(before: readonly string[], after: readonly string[]): DiffLine[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const same = (text: string): DiffLine => ({ sign: ' ', text });
  return [
    ...before.slice(0, start).map(same),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

function diffMiddle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const out = (text: string): DiffLine => ({ sign: '-', text });
  const put = (text: string): DiffLine => ({ sign: '+', text });
  const width = after.length + 1;
  if ((before.length + 1) * width > MOST_CELLS) return [...before.map(out), ...after.map(put)];
  // common[i * width + j]: the longest run of lines that before from i and after from j have in common.
  const common = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    const [old = '', fresh = ''] = [before[i], after[j]];
    if (i < before.length && j < after.length && old === fresh) {
      lines.push({ sign: ' ', text: old });
      i += 1;
      j += 1;
    } else if (i < before.length && (j >= after.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(out(old));
      i += 1;
    } else {
      lines.push(put(fresh));
      j += 1;
    }
  }
  return lines;
}
