/** The closest known word, if one is close enough. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const wanted = word.toLowerCase();
  const byDistance = known
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate.toLowerCase(), candidate.length) }))
    .toSorted((a, b) => a.distance - b.distance);
  const best = byDistance[0];
  if (best === undefined) return undefined;
  const isNear = best.distance <= Math.max(1, Math.floor(Math.max(wanted.length, best.candidate.length) * 0.4));
  return isNear ? best.candidate : undefined;
}

/** Damerau–Levenshtein distance (a transposition counts as one edit). Very long words are considered far apart. */
function distanceOf(a: string, b: string, most: number): number {
  if (a.length > 100) return a.length + most;
  let twoBefore: readonly number[] = [];
  let before = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const changed = Math.min((row[j - 1] ?? 0) + 1, (before[j] ?? 0) + 1, (before[j - 1] ?? 0) + same);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(isSwapped ? Math.min(changed, (twoBefore[j - 2] ?? 0) + 1) : changed);
    }
    twoBefore = before;
    before = row;
  }
  return before[b.length] ?? 0;
}
