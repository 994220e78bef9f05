import { clusters, type Line } from '../text/spans.js';

const SIMPLE = /^[\x20-\x7E]*$/;

/**
 * Positions the cursor after each run of non-ASCII text, so that columns stay aligned even if the terminal measures a character differently.
 */
export function alignLine(line: Line): Line {
  let column = 1;
  let isUnsure = false;
  return line.map((piece) => {
    if (SIMPLE.test(piece.text) && !isUnsure) {
      column += piece.text.length;
      return piece;
    }
    let text = '';
    for (const cluster of clusters(piece.text)) {
      const isPlain = SIMPLE.test(cluster.text);
      if (isPlain && isUnsure) text += `\u001B[${column}G`;
      isUnsure = !isPlain;
      text += cluster.text;
      column += cluster.width;
    }
    return { ...piece, text };
  });
}
