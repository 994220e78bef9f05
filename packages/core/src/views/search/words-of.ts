/** What is longer is a key, a hash or a picture in letters: nobody searches for it, and it fills the index. */
const LONGEST_WORD = 64;
/** Of a message of a megabyte, its beginning can be found. */
const LONGEST_TEXT = 65_536;

const RUN = /[\p{L}\p{N}\p{M}]+/gu;
const ASCII = /^[A-Za-z0-9]+$/;
/** Scripts that put no blanks between words: there, each character counts as one. */
const UNSPACED = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]';
const WORD = new RegExp(`${UNSPACED}\\p{M}*|(?:(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}])+`, 'gu');

export interface PlacedWord {
  /** Letters and digits only, in one case and without accents: `Café` and `CAFE` are one word. */
  word: string;
  /** Where it stands in the text. */
  at: number;
}

/** The words of a text in their order, the same for what is searched and for what is searched for. */
export function* placedWords(text: string): Generator<PlacedWord> {
  for (const match of text.slice(0, LONGEST_TEXT).matchAll(RUN)) {
    const [run] = match;
    if (ASCII.test(run)) {
      if (run.length <= LONGEST_WORD) yield { word: run.toLowerCase(), at: match.index };
      continue;
    }
    for (const part of run.matchAll(WORD)) {
      // Again: one character may stand for a whole word of such a script.
      for (const [word] of fold(part[0]).matchAll(WORD)) {
        if (word.length <= LONGEST_WORD) yield { word, at: match.index + part.index };
      }
    }
  }
}

/** Each word once. */
export function wordsOf(text: string): string[] {
  const words = new Set<string>();
  for (const { word } of placedWords(text)) words.add(word);
  return [...words];
}

/** Whatever is left besides letters and digits would be cut again, another way, by a database. */
function fold(word: string): string {
  return word
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
