/**
 * An immutable list that grows at both ends; only the affected chunk is copied. Read it with `rowAt` and `sliceRows`. Indexes shift when older
 * rows are added.
 */
export interface Rows<T> {
  readonly length: number;
  readonly chunks: readonly (readonly T[])[];
  /** Index of the first row of each chunk. */
  readonly starts: readonly number[];
}

const CHUNK = 128;

export function emptyRows<T>(): Rows<T> {
  return { length: 0, chunks: [], starts: [] };
}

export function rowAt<T>(rows: Rows<T>, position: number): T | undefined {
  if (position < 0 || position >= rows.length) return undefined;
  let low = 0;
  let high = rows.starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((rows.starts[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return rows.chunks[low]?.[position - (rows.starts[low] ?? 0)];
}

/** The rows from `start` up to, not including, `end`. */
export function sliceRows<T>(rows: Rows<T>, start = 0, end = rows.length): T[] {
  const slice: T[] = [];
  for (let position = Math.max(0, start); position < Math.min(end, rows.length); position += 1) {
    const row = rowAt(rows, position);
    if (row !== undefined) slice.push(row);
  }
  return slice;
}

export function append<T>(rows: Rows<T>, added: readonly T[]): Rows<T> {
  if (added.length === 0) return rows;
  const last = rows.chunks.at(-1);
  const room = last === undefined ? 0 : Math.max(0, CHUNK - last.length);
  const chunks = [...rows.chunks];
  if (last !== undefined && room > 0) chunks[chunks.length - 1] = [...last, ...added.slice(0, room)];
  for (let i = room; i < added.length; i += CHUNK) chunks.push(added.slice(i, i + CHUNK));
  return withStarts(chunks);
}

export function prepend<T>(rows: Rows<T>, added: readonly T[]): Rows<T> {
  if (added.length === 0) return rows;
  const chunks: (readonly T[])[] = [];
  for (let i = 0; i < added.length; i += CHUNK) chunks.push(added.slice(i, i + CHUNK));
  return withStarts([...chunks, ...rows.chunks]);
}

function withStarts<T>(chunks: readonly (readonly T[])[]): Rows<T> {
  const starts: number[] = [];
  let length = 0;
  for (const chunk of chunks) {
    starts.push(length);
    length += chunk.length;
  }
  return { length, chunks, starts };
}
