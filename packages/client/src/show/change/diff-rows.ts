import type { DiffLine } from '../call/diff-lines.js';

/** A line of a diff with its numbers in the old and in the new file. Notes and positions have none. */
export interface DiffRow extends DiffLine {
  readonly old?: number;
  readonly now?: number;
}

/** A row of two columns. A row of one part, such as a position, spans both. */
export type SideRow =
  | { readonly whole: DiffRow }
  | { readonly left: DiffRow | undefined; readonly right: DiffRow | undefined };

const PLACE = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Whose line numbers are known: those of text that replaces a file only in the new one, those of an edit without a diff in neither. */
export type Numbered = 'both' | 'new' | 'none';

export function numberLines(lines: readonly DiffLine[], numbered: Numbered = 'both'): DiffRow[] {
  if (numbered === 'none') return [...lines];
  if (numbered === 'new') {
    let line = 1;
    return lines.map((each): DiffRow => (each.kind === 'note' ? each : { ...each, now: line++ }));
  }
  let [old, now] = [1, 1];
  return lines.map((line): DiffRow => {
    switch (line.kind) {
      case 'place': {
        const found = PLACE.exec(line.text);
        if (found !== null) [old, now] = [startOf(found[1], found[2]), startOf(found[3], found[4])];
        return line;
      }
      case 'note':
        return line;
      case 'added':
        return { kind: 'added', text: line.text, now: now++ };
      case 'removed':
        return { kind: 'removed', text: line.text, old: old++ };
      case 'same':
        return { kind: 'same', text: line.text, old: old++, now: now++ };
    }
  });
}

/** In the unified format, an empty range starts one line earlier. */
function startOf(start = '1', count = '1'): number {
  return Number(start) + (count === '0' ? 1 : 0);
}

/** Where each block of changed lines starts. */
export function changeStarts(rows: readonly DiffLine[]): number[] {
  const isChange = (row: DiffLine | undefined): boolean => row?.kind === 'added' || row?.kind === 'removed';
  return rows.flatMap((row, at) => (isChange(row) && !isChange(rows[at - 1]) ? [at] : []));
}

/** Removed lines on the left next to the lines on the right that replace them. */
export function sideBySide(rows: readonly DiffRow[]): SideRow[] {
  const sides: SideRow[] = [];
  for (let at = 0; at < rows.length;) {
    const row = rows[at];
    if (row === undefined) break;
    if (row.kind === 'place' || row.kind === 'note') {
      sides.push({ whole: row });
      at += 1;
      continue;
    }
    if (row.kind === 'same') {
      sides.push({ left: row, right: row });
      at += 1;
      continue;
    }
    const removed = run(rows, at, 'removed');
    const added = run(rows, at + removed.length, 'added');
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1)
      sides.push({ left: removed[index], right: added[index] });
    at += removed.length + added.length;
  }
  return sides;
}

/** The line that replaces this removed one or that this added one replaces, for each row of a block with both. */
export function counterparts(rows: readonly DiffRow[]): ReadonlyMap<DiffRow, DiffRow> {
  const found = new Map<DiffRow, DiffRow>();
  for (const side of sideBySide(rows)) {
    if ('whole' in side || side.left === undefined || side.right === undefined || side.left === side.right) continue;
    found.set(side.left, side.right).set(side.right, side.left);
  }
  return found;
}

function run(rows: readonly DiffRow[], from: number, kind: DiffRow['kind']): DiffRow[] {
  let to = from;
  while (rows[to]?.kind === kind) to += 1;
  return rows.slice(from, to);
}
