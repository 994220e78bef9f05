export interface VisiblePart {
  kind: 'text' | 'escape';
  text: string;
}

/** The form in which the server already shows what it masked or escaped. */
const SERVERS = String.raw`‹(?:masked (?:number )?\d+|U\+[0-9A-F]{4,6}|\d+ spaces)›`;

/**
 * Moves a cursor, turns the direction of text, or is half a character: shown raw, text would read otherwise than it is. Line feed and
 * tab stay, and so do the joiners that scripts and emoji need.
 */
const HIDDEN = new RegExp(
  String.raw`${SERVERS}|[\0-\x08\x0B-\x1F\x7F-\x9F\u00AD\u2028\u2029\uFEFF]|\p{Bidi_Control}|\p{Cs}`,
  'gu',
);

/** For anything that will run, also what can't be seen or looks like a plain blank and is none. */
const HIDDEN_STRICT = new RegExp(
  String.raw`${SERVERS}|[\0-\x08\x0B-\x1F\x7F-\x9F]|\p{Cs}|\p{Default_Ignorable_Code_Point}|(?! )[\p{Z}\p{Cf}]`,
  'gu',
);

/** Cuts text into what can be shown as it is and what is shown by its number. `strict` is for anything that will run. */
export function visibleParts(text: string, strict = false): VisiblePart[] {
  const parts: VisiblePart[] = [];
  let from = 0;
  for (const match of text.matchAll(strict ? HIDDEN_STRICT : HIDDEN)) {
    if (match.index > from) parts.push({ kind: 'text', text: text.slice(from, match.index) });
    from = match.index + match[0].length;
    const isLineEnd = match[0] === '\r' && text[from] === '\n' && !strict;
    if (!isLineEnd) parts.push({ kind: 'escape', text: escapeOf(match[0]) });
  }
  if (from < text.length) parts.push({ kind: 'text', text: text.slice(from) });
  return parts;
}

/** The same as one string, for titles and names. */
export function visibleText(text: string, strict = false): string {
  return visibleParts(text, strict)
    .map((part) => part.text)
    .join('');
}

function escapeOf(found: string): string {
  if (found.startsWith('‹')) return found;
  return `‹U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`;
}
