/** Controls, lone surrogates, line separators, blanks nobody sees and marks that turn the direction of text. Line feed and tab stay. */
const UNSAFE =
  /[\u034F\0-\x08\x0B-\x1F\x7F-\x9F\u00AD\u061C\u115F\u1160\u{17B4}-\u{17B5}\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\p{Cs}]/gu;

/** Text that moves no cursor and colours nothing: with a terminal's sequences an agent could paint over a card what it does not ask for. */
export function plainText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(UNSAFE, (character) => {
    return `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`;
  });
}

/** The same on one line: a name or a title must not begin a line of its own. */
export function plainLine(text: string): string {
  return plainText(text).replaceAll(/[\n\t]+/g, ' ');
}
