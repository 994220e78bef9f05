import { placedWords } from './words-of.js';

const BEFORE = 60;
const LENGTH = 200;

/** The text around the first match, on one line. Plain text, so markup in it must be escaped. */
export function excerpt(content: string, words: readonly string[]): string {
  const from = start(content, words);
  const cut = content.slice(from, from + LENGTH);
  const line = cut
    // Remove half of a surrogate pair at either end.
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
