import type { Line } from '../../text/spans.js';

/** Scrollable blocks of lines, measured on demand. */
export interface Blocks {
  readonly count: number;
  idAt(index: number): string;
  /** Undefined if the block no longer exists. */
  indexOf(id: string): number | undefined;
  linesAt(index: number): readonly Line[];
}

/** The scroll position: following the end, or with this line at the top. */
export type Scroll = { readonly kind: 'end' } | { readonly kind: 'at'; readonly id: string; readonly line: number };

interface Place {
  readonly index: number;
  readonly line: number;
}

interface Window {
  readonly lines: readonly Line[];
  /** The first visible block. */
  readonly first: number;
  readonly atEnd: boolean;
}

/** The visible lines. Measures only visible blocks. */
export function windowOf(blocks: Blocks, scroll: Scroll, height: number): Window {
  const end = endPlace(blocks, height);
  const top = earlier(placeOf(blocks, scroll) ?? end, end);
  const lines: Line[] = [];
  for (let index = top.index; index < blocks.count && lines.length < height; index += 1) {
    const block = blocks.linesAt(index);
    lines.push(...block.slice(index === top.index ? top.line : 0, (index === top.index ? top.line : 0) + height));
  }
  return { lines: lines.slice(0, height), first: top.index, atEnd: isSame(top, end) };
}

/** Scrolls by a number of lines; negative is up. */
export function scrollBy(blocks: Blocks, scroll: Scroll, delta: number, height: number): Scroll {
  const end = endPlace(blocks, height);
  const from = earlier(placeOf(blocks, scroll) ?? end, end);
  const moved = delta < 0 ? up(blocks, from, -delta) : down(blocks, from, delta);
  if (!isBefore(moved, end)) return { kind: 'end' };
  return { kind: 'at', id: blocks.idAt(moved.index), line: moved.line };
}

export function scrollToTop(blocks: Blocks, height: number): Scroll {
  const end = endPlace(blocks, height);
  return end.index === 0 && end.line === 0 ? { kind: 'end' } : { kind: 'at', id: blocks.idAt(0), line: 0 };
}

function placeOf(blocks: Blocks, scroll: Scroll): Place | undefined {
  if (scroll.kind === 'end') return undefined;
  const index = blocks.indexOf(scroll.id);
  if (index === undefined) return undefined;
  // The block may have become shorter, for example after a retry.
  return { index, line: Math.min(scroll.line, Math.max(0, blocks.linesAt(index).length - 1)) };
}

/** The top line when the end is visible. */
function endPlace(blocks: Blocks, height: number): Place {
  return up(blocks, { index: blocks.count, line: 0 }, height);
}

function up(blocks: Blocks, from: Place, count: number): Place {
  let { index, line } = from;
  let left = count;
  while (left > 0) {
    if (line >= left) return { index, line: line - left };
    if (index === 0) return { index: 0, line: 0 };
    left -= line;
    index -= 1;
    line = blocks.linesAt(index).length;
  }
  return { index, line };
}

function down(blocks: Blocks, from: Place, count: number): Place {
  let { index, line } = from;
  let left = count;
  while (left > 0 && index < blocks.count) {
    const rest = blocks.linesAt(index).length - line;
    if (rest > left) return { index, line: line + left };
    left -= rest;
    index += 1;
    line = 0;
  }
  return { index, line };
}

function isBefore(a: Place, b: Place): boolean {
  return a.index < b.index || (a.index === b.index && a.line < b.line);
}

function isSame(a: Place, b: Place): boolean {
  return a.index === b.index && a.line === b.line;
}

function earlier(a: Place, b: Place): Place {
  return isBefore(b, a) ? b : a;
}
