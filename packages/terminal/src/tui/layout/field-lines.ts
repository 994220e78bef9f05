import { plainLine, proseText } from '../../text/plain-text.js';
import type { Field } from '../keys/field.js';
import { graphemes } from '../../text/graphemes.js';
import { widthOf, type Line, type Span } from '../../text/spans.js';

/** `prose`: a message, a reason or an answer. `exact`: a command, arguments or a rule. */
export type FieldContent = 'prose' | 'exact';

/** The lines of a field with its cursor. If there are too many, the lines around the cursor. */
export function fieldLines(
  { text, cursor }: Field,
  width: number,
  most: number,
  hasCursor: boolean,
  content: FieldContent,
): Line[] {
  const lines: { spans: Span[]; used: number }[] = [{ spans: [], used: 0 }];
  let cursorLine = 0;
  let index = 0;
  const put = (shown: string, isCursor: boolean): void => {
    const cells = widthOf(shown);
    let line = lines.at(-1);
    if (line === undefined || line.used + cells > Math.max(2, width)) {
      line = { spans: [], used: 0 };
      lines.push(line);
    }
    if (isCursor) cursorLine = lines.length - 1;
    line.spans.push(isCursor ? { text: shown, inverse: true } : { text: shown });
    line.used += cells;
  };
  for (const [at, row] of text.split('\n').entries()) {
    if (at > 0) {
      if (hasCursor && index === cursor) put(' ', true);
      index += 1;
      lines.push({ spans: [], used: 0 });
    }
    let column = 0;
    for (const segment of graphemes(row)) {
      const end = column + segment.length;
      put(
        content === 'prose' ? proseText(row, column, end).replaceAll('\t', ' ') : plainLine(segment),
        hasCursor && cursor >= index && cursor < index + segment.length,
      );
      index += segment.length;
      column = end;
    }
  }
  if (hasCursor && cursor >= text.length) put(' ', true);
  const first = Math.max(0, Math.min(cursorLine - most + 1, lines.length - most));
  return lines.slice(first, first + most).map(({ spans }) => joined(spans));
}

/** Merges spans of the same style: with one span per letter, most of the time would be spent on drawing. */
function joined(spans: readonly Span[]): Line {
  const line: Span[] = [];
  for (const piece of spans) {
    const last = line.at(-1);
    if (last !== undefined && last.inverse === piece.inverse)
      line[line.length - 1] = { ...last, text: last.text + piece.text };
    else line.push(piece);
  }
  return line;
}

/** The height of a message field. */
export function fieldHeight(field: Field, width: number, most: number): number {
  return Math.min(most, fieldLines(field, width, most, true, 'prose').length);
}
