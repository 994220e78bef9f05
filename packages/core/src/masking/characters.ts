/**
 * Characters a person can't see or that rearrange what they see: controls, bidi, zero-width and other default-ignorable characters,
 * lone surrogates, odd blanks. Written as the inside of a character class for a regular expression with the `u` flag.
 * Line feed and tab are not among them.
 */
export const invisibleCharacters =
  '\\0-\\x08\\x0B-\\x1F\\x7F-\\x9F\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u1680\\u2000-\\u200A\\u205F\\u2800';

/** What makes a shell do something else than pass a literal on. None of these is ever hidden by a mask. */
export const shellOperators = '$`;|&<>()';

/** A word: no white space, no operator, no quote, no backslash, nothing invisible. Masks are made of words only. */
export const wordCharacter = `[^\\s"'\\\\${shellOperators}${invisibleCharacters}]`;

/** The most that is held back, and the longest stretch that one mask covers. */
export const holdLimit = 16 * 1024;
