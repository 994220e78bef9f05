import type { Value } from '../queries/prepared.js';
import { MARK_KEY } from '../sqlite/mark.js';

/** A store as rows, for copying: nothing in it is read or understood. */
export interface RawStore {
  /** Base tables and their columns, in the order they were created in. What the database derives itself is not among them. */
  tables(): Promise<ReadonlyMap<string, readonly string[]>>;
  count(table: string): Promise<number>;
  /** All rows in the order of the table's first columns, some at a time, so that a large store does not have to fit into memory. */
  pages(table: string, columns: readonly string[]): AsyncIterable<readonly Value[][]>;
  /** Everything that `work` writes is kept, or nothing is. */
  write<T>(work: (writer: RawWriter) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface RawWriter {
  insert(table: string, columns: readonly string[], rows: readonly Value[][]): Promise<void>;
  /** All but what says which schema the database has. */
  emptyMeta(): Promise<void>;
}

/** Belongs to the database it is in. */
export const OWN_META: readonly string[] = ['schema-version', MARK_KEY];

/** Rows at a time. A message may be a megabyte. */
export const PAGE_ROWS = 200;
