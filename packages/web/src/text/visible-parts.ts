import { byNumber, HIDDEN_IN_CODE, HIDDEN_IN_PROSE, PLACEHOLDER } from '@countersign/protocol';

export interface VisiblePart {
  kind: 'text' | 'escape';
  text: string;
}

const PROSE = new RegExp(`${PLACEHOLDER}|${HIDDEN_IN_PROSE}`, 'gu');
const CODE = new RegExp(`${PLACEHOLDER}|${HIDDEN_IN_CODE}`, 'gu');

/** Splits text into parts shown unchanged and parts shown as escapes. `strict` is for text that will run. */
export function visibleParts(text: string, strict = false): VisiblePart[] {
  const parts: VisiblePart[] = [];
  let from = 0;
  for (const match of text.matchAll(strict ? CODE : PROSE)) {
    if (match.index > from) parts.push({ kind: 'text', text: text.slice(from, match.index) });
    from = match.index + match[0].length;
    const isLineEnd = match[0] === '\r' && text[from] === '\n' && !strict;
    if (!isLineEnd) parts.push({ kind: 'escape', text: escapeOf(match[0]) });
  }
  if (from < text.length) parts.push({ kind: 'text', text: text.slice(from) });
  return parts;
}

/** Like `visibleParts`, as one string, for titles and names. */
export function visibleText(text: string, strict = false): string {
  return visibleParts(text, strict)
    .map((part) => part.text)
    .join('');
}

function escapeOf(found: string): string {
  return found.startsWith('‹') ? found : byNumber(found);
}
