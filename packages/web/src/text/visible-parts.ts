import { byNumber, HIDDEN_IN_CODE, HIDDEN_IN_PROSE, PLACEHOLDER } from '@countersign/protocol';

export interface VisiblePart {
  kind: 'text' | 'escape';
  text: string;
}

/** With its place in the text. */
interface VisibleSpan extends VisiblePart {
  from: number;
  to: number;
}

const PROSE = new RegExp(`${PLACEHOLDER}|${HIDDEN_IN_PROSE}`, 'gu');
const CODE = new RegExp(`${PLACEHOLDER}|${HIDDEN_IN_CODE}`, 'gu');

/** Splits text into parts shown unchanged and parts shown as escapes. `strict` is for text that will run. */
export function visibleParts(text: string, strict = false): VisiblePart[] {
  return visibleSpans(text, strict).map(({ kind, text: shown }) => ({ kind, text: shown }));
}

export function visibleSpans(text: string, strict = false): VisibleSpan[] {
  const spans: VisibleSpan[] = [];
  let end = 0;
  const addText = (to: number): void => {
    if (to > end) spans.push({ kind: 'text', text: text.slice(end, to), from: end, to });
  };
  for (const { 0: found, index: from } of text.matchAll(strict ? CODE : PROSE)) {
    addText(from);
    end = from + found.length;
    const isLineEnd = found === '\r' && text[end] === '\n' && !strict;
    if (!isLineEnd) spans.push({ kind: 'escape', text: escapeOf(found), from, to: end });
  }
  addText(text.length);
  return spans;
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
