import { cutTo, padTo, cellsOf } from './cells.js';
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
  const wanted = shown.map((_, index) => Math.max(...cells.map((line) => cellsOf(line[index] ?? ''))));
  const widths = fit(wanted, columns, (index) => shown[index]?.title === 'id');
  return cells
    .map((line) =>
      line
        .map((cell, index) => padTo(cutTo(cell, widths[index] ?? 0), widths[index] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** Shrinks the widest column until all fit, except ids: commands need them whole. */
function fit(wanted: readonly number[], columns: number | undefined, isId: (index: number) => boolean): number[] {
  const widths = [...wanted];
  if (columns === undefined) return widths;
  const total = (): number => widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);
  while (total() > columns) {
    const width = Math.max(NARROWEST, ...widths.filter((_, index) => !isId(index)));
    const widest = widths.findIndex((each, index) => each === width && !isId(index));
    if (width === NARROWEST) break;
    widths[widest] = width - 1;
  }
  return widths;
}
