/** The number of words, shown as the size of folded text. */
export function wordCount(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}
