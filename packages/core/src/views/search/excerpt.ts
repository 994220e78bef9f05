import { placedWords } from './words-of.js';

const BEFORE = 60;
const LENGTH = 200;

/** The words around the first match, on one line. Plain text: what looks like markup in it is what somebody wrote. */
export function excerpt(content: string, words: readonly string[]): string {
  const from = start(content, words);
  const cut = content.slice(from, from + LENGTH);
  const line = cut
    // Half of a character that the cut left.
    .replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return `${from > 0 ? '…' : ''}${line}${from + LENGTH < content.length ? '…' : ''}`;
}

function start(content: string, words: readonly string[]): number {
  const last = words.at(-1) ?? '';
  for (const { word, at } of placedWords(content)) {
    if (words.includes(word) || word.startsWith(last)) return Math.max(0, at - BEFORE);
  }
  return 0;
}
