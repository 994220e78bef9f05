const WORD = /[\p{L}\p{M}\p{N}_\uD800-\uDFFF]/u;
/** With less in common, marking the rest says nothing. */
const LEAST_SHARED = 0.3;

/** The part of a line that differs from another one, in whole words. Undefined if it has nothing of its own, or if most of it differs. */
export function changedWords(text: string, other: string): { readonly from: number; readonly to: number } | undefined {
  const most = Math.min(text.length, other.length);
  let start = 0;
  while (start < most && text[start] === other[start]) start += 1;
  let end = 0;
  while (end < most - start && text.at(-1 - end) === other.at(-1 - end)) end += 1;
  const isWord = (char: string | undefined): boolean => char !== undefined && WORD.test(char);
  while (start > 0 && isWord(text[start - 1]) && (isWord(text[start]) || isWord(other[start]))) start -= 1;
  while (end > 0 && isWord(text.at(-end)) && (isWord(text.at(-end - 1)) || isWord(other.at(-end - 1)))) end -= 1;
  const to = text.length - end;
  return to <= start || start + end < text.length * LEAST_SHARED ? undefined : { from: start, to };
}
