/** The number of words, as the size of a folded text. */
export function wordCount(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}
