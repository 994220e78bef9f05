/** Scripts that use joiners: cursive ones, and those that stack consonants. */
const CURSIVE = ['Arabic', 'Syriac', 'Mandaic', 'Mongolian', 'Nko'];
const STACKING = [
  ...['Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala'],
  ...['Khmer', 'Myanmar', 'Tibetan'],
];

/** The virama, which removes a consonant's vowel. A joiner after it may end a word. */
const VIRAMA = /[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA\u1039\u17D2]$/;

/** A letter before the joiner, with its marks, and a letter or mark of the same script after it. */
const inWord = (script: string): { before: RegExp; after: RegExp } => ({
  before: new RegExp(`(?=\\p{Script=${script}})\\p{L}\\p{M}{0,4}$`, 'u'),
  after: new RegExp(`^(?=\\p{Script=${script}})[\\p{L}\\p{M}]`, 'u'),
});
/** Compiled on first use. */
let inWords: readonly ReturnType<typeof inWord>[] | undefined;

/** Follows rule GB11 of UAX #29. */
const EMOJI_BEFORE = /\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?$/u;
const EMOJI_AFTER = /^\p{Extended_Pictographic}/u;

const ZWNJ = '\u200C';
const ZWJ = '\u200D';
/** Longer than a letter with four marks, all outside the BMP. */
const CONTEXT = 12;

/** Whether the character is a joiner in a position where Unicode gives it a meaning. Anywhere else, it only hides something. */
export function isJoining(text: string, at: number): boolean {
  const joiner = text[at];
  if (joiner !== ZWNJ && joiner !== ZWJ) return false;
  const before = text.slice(Math.max(0, at - CONTEXT), at);
  const after = text.slice(at + 1, at + 1 + 2);
  if (after.startsWith(ZWNJ) || after.startsWith(ZWJ)) return false;
  if (VIRAMA.test(before)) return true;
  if (joiner === ZWJ && EMOJI_BEFORE.test(before) && EMOJI_AFTER.test(after)) return true;
  inWords ??= [...CURSIVE, ...STACKING].map(inWord);
  return inWords.some((script) => script.before.test(before) && script.after.test(after));
}
