import { cutTo, padTo, widthOf } from './cells.js';
import { plainLine, proseLine } from './plain-text.js';

export interface Column<Row> {
  readonly title: string;
  readonly of: (row: Row) => string;
  /** Set for text written by agents or people, such as a title. Other columns contain names, paths or arguments. */
  readonly isProse?: true;
}

const GAP = '  ';
const NARROWEST = 6;

/** Aligns columns. `columns` is the terminal width; if undefined, nothing is truncated. */
export function table<Row>(rows: readonly Row[], shown: readonly Column<Row>[], columns: number | undefined): string {
  const cells = [
    shown.map(({ title }) => title.toUpperCase()),
    ...rows.map((row) => shown.map(({ of, isProse }) => (isProse ? proseLine(of(row)) : plainLine(of(row))))),
  ];
  const widths = fit(
    shown.map((_, index) => Math.max(...cells.map((line) => widthOf(line[index] ?? '')))),
    columns,
  );
  return cells
    .map((line) =>
      line
        .map((cell, index) => padTo(cutTo(cell, widths[index] ?? 0), widths[index] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** Shrinks the widest column until all fit. */
function fit(wanted: readonly number[], columns: number | undefined): number[] {
  const widths = [...wanted];
  if (columns === undefined) return widths;
  const total = (): number => widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);
  while (total() > columns) {
    const widest = widths.indexOf(Math.max(...widths));
    const width = widths[widest] ?? 0;
    if (width <= NARROWEST) break;
    widths[widest] = width - 1;
  }
  return widths;
}
