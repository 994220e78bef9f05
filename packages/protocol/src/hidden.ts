/**
 * What a reader can't see, or what rearranges what they see. One list for whoever shows text, masks it or judges it: a character that is
 * hidden in one place and shown in another is a way to have something else signed than was read.
 */

/** Inside of a character class, for the `u` flag. Line feed and tab are not hidden; nor are the three blanks that languages write with. */
export const HIDDEN =
  String.raw`\0-\x08\x0B-\x1F\x7F-\x9F\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}` +
  String.raw`\u1680\u2000-\u200A\u205F\u2800`;

/** In what will run: also everything that looks like a blank and is none. */
export const HIDDEN_IN_CODE = String.raw`[${HIDDEN}]|(?! )\p{Zs}`;

/** In prose: what moves a cursor, turns the direction of text or is not there to be seen. Joiners that scripts and emoji need stay. */
export const HIDDEN_IN_PROSE =
  String.raw`[\0-\x08\x0B-\x1F\x7F-\x9F\u2028\u2029\uFFF9-\uFFFB\p{Cs}]|\p{Bidi_Control}` +
  String.raw`|(?![\u200C\u200D\uFE0E\uFE0F])\p{Default_Ignorable_Code_Point}`;

/** `‹masked 1: 24 characters›`; without a length it is from an earlier version. Captures the number. */
export const MASK = String.raw`‹masked (?:number )?([1-9]\d{0,8})(?:: [1-9]\d{0,8} characters?)?›`;

/** The form in which a server shows what it masked or escaped; in text that it sent, nothing else can look like it. */
export const PLACEHOLDER =
  String.raw`‹(?:masked (?:number )?[1-9]\d{0,8}(?:: [1-9]\d{0,8} characters?)?|U\+[0-9A-F]{4,6}` +
  String.raw`|[1-9]\d{0,8} (?:spaces|newlines|tabs|characters not shown|U\+[0-9A-F]{4}))›`;

/** `‹U+202E›` */
export function byNumber(character: string): string {
  return `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`;
}
