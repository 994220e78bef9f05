import { clusters } from './layout/spans.js';

const SEQUENCE = /\u001B\[[0-9;]*m/g;
const SIMPLE = /^[\x20-\x7E]*$/;

/**
 * Positions the cursor after each run of non-ASCII text, so that columns stay aligned even if the terminal measures a character differently.
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
