/** A range `[start, end)` of a word. */
export type Span = readonly [start: number, end: number];

/** Sorts spans and merges overlapping or adjacent ones: if two patterns match the same secret, no part of it may be shown. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.filter(([start, end]) => end > start).sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && span[0] <= last[1]) merged[merged.length - 1] = [last[0], Math.max(last[1], span[1])];
    else merged.push(span);
  }
  return merged;
}
