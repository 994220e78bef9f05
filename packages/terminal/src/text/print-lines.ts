import { BAR } from './behind-bar.js';
import { cellsOf } from './cells.js';
import type { Paint } from './paint.js';
import { clusters, textOf, type Line, type Span } from './spans.js';

/**
 * Lines for a terminal that wraps by itself. If the terminal might measure a line wider than we do, it is wrapped here: wrapped by the terminal,
 * it would continue where only our own text may start (CALL15).
 */
export function printLines(lines: readonly Line[], columns: number, paint: Paint): string[] {
  return lines.flatMap((line) => split(line, columns)).map((line) => paint.line(line));
}

function split(line: Line, columns: number): Line[] {
  if (cellsOf(textOf(line)) <= columns) return [line];
  const indent: Span[] = line[0]?.text === BAR ? [line[0], { text: '  ' }] : [{ text: '    ' }];
  let current: Span[] = [];
  let used = 0;
  const wrapped = [current];
  for (const { text, ...look } of line)
    for (const cluster of clusters(text)) {
      const cells = cellsOf(cluster.text);
      if (used + cells > columns && used > 0) {
        current = [...indent];
        used = cellsOf(textOf(indent));
        wrapped.push(current);
      }
      current.push({ text: cluster.text, ...look });
      used += cells;
    }
  return wrapped;
}
