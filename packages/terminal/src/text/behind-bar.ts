import { cellsOf } from './cells.js';
import { plainText } from './plain-text.js';

/** What stands in front of every line that we did not write ourselves. */
export const BAR = '  │ ';
const TAB = '    ';

/** Lines of others' text, none wider than the terminal: one that the terminal wraps would go on where only our own words stand (A17). */
export function wrapLines(text: string, columns: number): string[] {
  const room = Math.max(10, columns - BAR.length);
  return plainText(text)
    .replaceAll('\t', TAB)
    .split('\n')
    .flatMap((line) => wrapLine(line, room));
}

/** Every line behind a bar: what an agent wrote can't pass for a card. */
export function behindBar(text: string, columns: number): string {
  return wrapLines(text.replace(/\n+$/, ''), columns)
    .map((line) => `${BAR}${line}`)
    .join('\n');
}

function wrapLine(line: string, room: number): string[] {
  const lines: string[] = [];
  let current = '';
  let width = 0;
  for (const character of line) {
    const cells = cellsOf(character);
    if (width + cells > room) {
      lines.push(current);
      current = '';
      width = 0;
    }
    current += character;
    width += cells;
  }
  return [...lines, current];
}
