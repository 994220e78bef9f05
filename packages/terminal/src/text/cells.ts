/** Characters that take two columns in a terminal. */
const WIDE =
  /[\u1100-\u115E\u2329\u232A\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F000}-\u{1FBFF}\u{20000}-\u{3FFFD}\p{Emoji_Presentation}]/u;

/** The number of columns that a character takes, rounded up: if it were too low, a line could wrap to where only our own text may start. */
function cellsOfOne(character: string): number {
  return WIDE.test(character) ? 2 : 1;
}

export function cellsOf(text: string): number {
  let width = 0;
  for (const character of text) width += cellsOfOne(character);
  return width;
}

/** Truncates to a number of columns, with an ellipsis. */
export function cutTo(text: string, columns: number): string {
  if (cellsOf(text) <= columns) return text;
  let cut = '';
  let width = 0;
  for (const character of text) {
    width += cellsOfOne(character);
    if (width > columns - 1) break;
    cut += character;
  }
  return `${cut}…`;
}

export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - cellsOf(text)));
}
