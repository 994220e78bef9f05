import { clusters } from './layout/spans.js';

const SEQUENCE = /\u001B\[[0-9;]*m/g;
const SIMPLE = /^[\x20-\x7E]*$/;

/**
 * A line after which every part stands in its own column, also in a terminal that takes a character for wider or narrower than we do:
 * after each run of others than plain ones the cursor is put where it belongs.
 */
export function alignLine(line: string): string {
  if (SIMPLE.test(line.replaceAll(SEQUENCE, ''))) return line;
  let out = '';
  let column = 1;
  let from = 0;
  for (const match of line.matchAll(SEQUENCE)) {
    put(line.slice(from, match.index));
    out += match[0];
    from = match.index + match[0].length;
  }
  put(line.slice(from));
  return out;

  function put(text: string): void {
    let isUnsure = false;
    for (const cluster of clusters(text)) {
      const isPlain = SIMPLE.test(cluster.text);
      if (isPlain && isUnsure) out += `\u001B[${column}G`;
      isUnsure = !isPlain;
      out += cluster.text;
      column += cluster.width;
    }
    if (isUnsure) out += `\u001B[${column}G`;
  }
}
