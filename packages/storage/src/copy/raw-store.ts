import type { Value } from '../queries/prepared.js';
import { MARK_KEY } from '../sqlite/log/mark.js';

/** A store as raw rows, for copying without interpretation. */
export interface RawStore {
  /** Base tables with their columns, in order of creation, without derived tables. */
  tables(): Promise<ReadonlyMap<string, readonly string[]>>;
  count(table: string): Promise<number>;
  /** All rows in pages, ordered by the first columns, so that a large store doesn't have to fit into memory. */
  pages(table: string, columns: readonly string[]): AsyncIterable<readonly Value[][]>;
  /** Commits everything that `work` writes, or nothing. */
  write<T>(work: (writer: RawWriter) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface RawWriter {
  insert(table: string, columns: readonly string[], rows: readonly Value[][]): Promise<void>;
  /** Deletes everything except the schema version and the log mark. */
  emptyMeta(): Promise<void>;
}

/** Keys that belong to the database itself and are not copied. */
export const OWN_META: readonly string[] = ['schema-version', MARK_KEY];

/** Rows per page. A message may be as large as a megabyte. */
export const PAGE_ROWS = 200;
