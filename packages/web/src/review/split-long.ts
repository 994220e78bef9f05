import type { DiffRow } from '@countersign/client';

/** One line of several megabytes in one row would block the page. */
const LONGEST = 2000;

/** Continues long lines in rows without a number, so that all of it is shown. */
export function splitLong(rows: readonly DiffRow[]): readonly DiffRow[] {
  if (rows.every(({ text }) => text.length <= LONGEST)) return rows;
  return rows.flatMap((row) => {
    if (row.text.length <= LONGEST) return [row];
    const { kind, text } = row;
    const parts: DiffRow[] = [];
    for (let from = 0; from < text.length;) {
      const to = endOf(text, from + LONGEST);
      const part = text.slice(from, to);
      parts.push(from === 0 ? { ...row, text: part } : { kind, text: part });
      from = to;
    }
    return parts;
  });
}

/** Before a placeholder such as `‹masked 1›` and between whole characters, so that each is shown in one piece. */
function endOf(text: string, wanted: number): number {
  if (wanted >= text.length) return text.length;
  const open = text.lastIndexOf('‹', wanted);
  const isInside = open > wanted - 100 && text.indexOf('›', open) >= wanted;
  const end = isInside ? open : wanted;
  const isPair = /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
  return isPair ? end - 1 : end;
}
