import { normalizeText } from '@countersign/protocol';

/** Longer words are keys, hashes or encoded data. Nobody searches for them, and they would fill the index. */
const LONGEST_WORD = 64;
/** Only the start of a very long message is indexed. */
const LONGEST_TEXT = 65_536;

const RUN = /[\p{L}\p{N}\p{M}]+/gu;
const ASCII = /^[A-Za-z0-9]+$/;
/** Scripts without spaces between words: each character counts as a word. */
const UNSPACED = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]';
const WORD = new RegExp(`${UNSPACED}\\p{M}*|(?:(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}])+`, 'gu');

export interface PlacedWord {
  /** Only letters and digits, in one case and without accents: `Café` and `CAFE` are the same word. */
  word: string;
  /** The offset in the text. */
  at: number;
}

/** The words of a text in order, for both indexing and queries. */
export function* placedWords(text: string): Generator<PlacedWord> {
  for (const match of text.slice(0, LONGEST_TEXT).matchAll(RUN)) {
    const [run] = match;
    if (ASCII.test(run)) {
      if (run.length <= LONGEST_WORD) yield { word: run.toLowerCase(), at: match.index };
      continue;
    }
    for (const part of run.matchAll(WORD)) {
      // Split again after folding: one character may expand to several words of such a script.
      for (const [word] of fold(part[0]).matchAll(WORD)) {
        if (word.length <= LONGEST_WORD) yield { word, at: match.index + part.index };
      }
    }
  }
}

/** The distinct words. */
export function wordsOf(text: string): string[] {
  const words = new Set<string>();
  for (const { word } of placedWords(text)) words.add(word);
  return [...words];
}

/** Keeps only letters and digits, because databases differ in how they split at other characters. */
function fold(word: string): string {
  return normalizeText(word, 'NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
