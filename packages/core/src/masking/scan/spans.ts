/** A stretch `[start, end)` of a word. */
export type Span = readonly [start: number, end: number];

/** Sorted, and merged where they touch: two patterns that see the same secret must not show a part of it. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.filter(([start, end]) => end > start).sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && span[0] <= last[1]) merged[merged.length - 1] = [last[0], Math.max(last[1], span[1])];
    else merged.push(span);
  }
  return merged;
}
