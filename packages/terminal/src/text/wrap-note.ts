import { cellsOf } from './cells.js';

/** Wraps sentences between words. Indented lines stay as they are: they are commands and names to copy. */
export function wrapNote(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (/^\s/.test(line) ? line : wrapSentence(line, columns)))
    .join('\n');
}

/** Leaves a word that is wider than the terminal whole, such as a path. */
function wrapSentence(line: string, columns: number): string {
  let out = '';
  let at = 0;
  for (const word of line.split(' ')) {
    const width = cellsOf(word);
    const fits = at + 1 + width <= columns;
    out += at === 0 ? word : `${fits ? ' ' : '\n'}${word}`;
    at = at === 0 || !fits ? width : at + 1 + width;
  }
  return out;
}
