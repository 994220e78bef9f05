// Characters that are invisible or reorder text. Display, masking and rules share one list: if a character were hidden in one place and shown
// in another, a person could approve text other than what they read.

/** For a character class with the `u` flag. Excludes line feed, tab and the three spaces that some scripts use. */
export const HIDDEN =
  String.raw`\0-\x08\x0B-\x1F\x7F-\x9F\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}` +
  String.raw`\u1680\u2000-\u200A\u205F\u2800`;

/** In code, characters that look like a space but aren't one are also hidden. */
export const HIDDEN_IN_CODE = String.raw`[${HIDDEN}]|(?! )\p{Zs}`;

/** Hidden in prose: cursor movement, bidi controls and invisible characters. Joiners that scripts and emoji need are allowed. */
export const HIDDEN_IN_PROSE =
  String.raw`[\0-\x08\x0B-\x1F\x7F-\x9F\u2028\u2029\uFFF9-\uFFFB\p{Cs}]|\p{Bidi_Control}` +
  String.raw`|(?![\u200C\u200D\uFE0E\uFE0F])\p{Default_Ignorable_Code_Point}`;

/** `‹masked 1: 24 characters›`. Models and people may leave out the length. Captures the number. */
export const MASK = String.raw`‹masked (?:number )?([1-9]\d{0,8})(?:: [1-9]\d{0,8} characters?)?›`;

/** Matches masked or escaped text from a server. No other text from a server can have this form. */
export const PLACEHOLDER =
  String.raw`${MASK}|‹(?:U\+[0-9A-F]{4,6}` +
  String.raw`|[1-9]\d{0,8} (?:spaces|newlines|tabs|characters not shown|U\+[0-9A-F]{4}))›`;

/** `‹U+202E›` */
export function byNumber(character: string): string {
  return `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`;
}
