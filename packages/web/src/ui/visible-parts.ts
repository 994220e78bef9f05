/**
 * What moves a cursor, turns the direction of text or can't be seen: shown raw, a command would read otherwise than it runs.
 * Line feed and tab stay. Joiners are kept in prose, where scripts and emoji need them; `strict` shows them too.
 */
const HIDDEN =
  /‹(?:masked (?:number )?\d+|U\+[0-9A-F]{4,6}|\d+ spaces)›|[\0-\x08\x0B-\x1F\x7F-\x9F\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069\uFEFF\u00AD]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
const HIDDEN_STRICT =
  /‹(?:masked (?:number )?\d+|U\+[0-9A-F]{4,6}|\d+ spaces)›|[\0-\x08\x0B-\x1F\x7F-\x9F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202F\u205F-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFB\u00A0\u2000-\u200A\u3000]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]|\uDB40[\uDC00-\uDFFF]/g;

export interface VisiblePart {
  kind: 'text' | 'escape';
  text: string;
}

/** Cuts text into what can be shown as it is and what is shown by its number. `strict` is for anything that will run. */
export function visibleParts(text: string, strict = false): VisiblePart[] {
  const parts: VisiblePart[] = [];
  let from = 0;
  for (const match of text.matchAll(strict ? HIDDEN_STRICT : HIDDEN)) {
    if (match[0] === '\r' && text[match.index + 1] === '\n' && !strict) {
      parts.push({ kind: 'text', text: text.slice(from, match.index) });
      from = match.index + 1;
      continue;
    }
    if (match.index > from) parts.push({ kind: 'text', text: text.slice(from, match.index) });
    parts.push({ kind: 'escape', text: escapeOf(match[0]) });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ kind: 'text', text: text.slice(from) });
  return parts.filter((part) => part.text !== '');
}

/** The same as one string, for titles and names. */
export function visibleText(text: string, strict = false): string {
  return visibleParts(text, strict)
    .map((part) => part.text)
    .join('');
}

function escapeOf(character: string): string {
  // The server writes what it masked or escaped in this form already.
  if (character.startsWith('‹')) return character;
  return `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`;
}
