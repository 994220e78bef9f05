import { diffArrays } from 'diff';

export interface MarkedLine {
  readonly kind: ' ' | '-' | '+';
  readonly text: string;
}

/** The search is quadratic in the number of changes, so it is limited for one part and for a whole file. */
const MOST_EDITS = 600;
const MOST_STEPS = 4_000_000;

/**
 * Compares all lines. Lines that occur once in both texts split the search, so that many changes in a long file stay cheap (patience diff). A part
 * that is too different counts as replaced.
 */
export function compareLines(before: readonly string[], after: readonly string[]): MarkedLine[] {
  const marked: MarkedLine[] = [];
  let left = MOST_STEPS;
  let [from, to] = [0, 0];
  for (const [nextFrom, nextTo] of [...anchorsOf(before, after), [before.length, after.length] as const]) {
    const most = Math.min(MOST_EDITS, Math.floor(Math.sqrt(left)));
    const part = comparePart(before.slice(from, nextFrom), after.slice(to, nextTo), most);
    left -= Math.min(part.filter(({ kind }) => kind !== ' ').length, most) ** 2;
    for (const line of part) marked.push(line);
    const anchor = before[nextFrom];
    if (anchor !== undefined) marked.push({ kind: ' ', text: anchor });
    [from, to] = [nextFrom + 1, nextTo + 1];
  }
  return marked;
}

function comparePart(before: readonly string[], after: readonly string[], most: number): MarkedLine[] {
  const all = (kind: MarkedLine['kind'], lines: readonly string[]) => lines.map((text): MarkedLine => ({ kind, text }));
  if (before.length === 0 || after.length === 0) return [...all('-', before), ...all('+', after)];
  const changes = diffArrays([...before], [...after], { maxEditLength: most });
  if (changes === undefined) return [...all('-', before), ...all('+', after)];
  return changes.flatMap(({ added, removed, value }) => all(added ? '+' : removed ? '-' : ' ', value));
}

/** Positions of lines that occur once in each text, in the same order in both: the longest such sequence. */
function anchorsOf(before: readonly string[], after: readonly string[]): (readonly [number, number])[] {
  const places = uniquePlaces(after);
  const shared: { at: readonly [number, number]; previous: number }[] = [];
  /** For each length, the sequence that ends earliest in `after`. */
  const ends: number[] = [];
  for (const [text, from] of uniquePlaces(before)) {
    const to = places.get(text);
    if (to === undefined) continue;
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((shared[ends[middle] ?? 0]?.at[1] ?? 0) < to) low = middle + 1;
      else high = middle;
    }
    ends[low] = shared.length;
    shared.push({ at: [from, to], previous: low === 0 ? -1 : (ends[low - 1] ?? -1) });
  }
  const anchors: (readonly [number, number])[] = [];
  for (let entry = shared[ends.at(-1) ?? -1]; entry !== undefined; entry = shared[entry.previous])
    anchors.push(entry.at);
  return anchors.toReversed();
}

function uniquePlaces(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [index, text] of lines.entries()) {
    if (places.has(text)) repeated.add(text);
    else places.set(text, index);
  }
  for (const text of repeated) places.delete(text);
  return places;
}
