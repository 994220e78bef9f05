/** Beyond this, the diff shows the whole middle as replaced. */
const MAX_CELLS = 1_000_000;
const CONTEXT = 2;

type Line = ' ' | '+' | '-';

/** The lines that change between two texts, with a little context, marked with `+`, `-` or a space. */
export function lineDiff(before: string | undefined, after: string | undefined): string[] {
  const marked = compare(linesOf(before), linesOf(after));
  const isShown = marked.map(([kind], at) =>
    kind === ' ' ? marked.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(([near]) => near !== ' ') : true,
  );
  return marked.flatMap(([kind, text], at) => {
    if (isShown[at] === true) return [`${kind} ${text}`];
    return isShown[at - 1] === true ? ['  …'] : [];
  });
}

function linesOf(text: string | undefined): string[] {
  return text === undefined || text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function compare(a: readonly string[], b: readonly string[]): [Line, string][] {
  if (a.length * b.length > MAX_CELLS) {
    return [...a.map((text): [Line, string] => ['-', text]), ...b.map((text): [Line, string] => ['+', text])];
  }
  // The length of the longest common subsequence of a[i…] and b[j…].
  const common = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const row = common[i] ?? [];
    for (let j = b.length - 1; j >= 0; j -= 1)
      row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const result: [Line, string][] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      result.push([' ', a[i] ?? '']);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      result.push(['-', a[i] ?? '']);
      i += 1;
    } else {
      result.push(['+', b[j] ?? '']);
      j += 1;
    }
  }
  return result;
}
