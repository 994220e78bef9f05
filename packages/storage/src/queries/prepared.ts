import { camel } from '../camel.js';
import type { RowOf, Table } from '../schema.js';

export type Value = string | number | null;

/**
 * A statement for both databases. `names` are its parameters in bind order; `Row` is an array of cells in column order: objects
 * would double the cost of a read (LIMIT1).
 */
export interface Statement<P, Row> {
  /** The text with `?` for each parameter. */
  readonly sql: string;
  readonly names: readonly (keyof P & string)[];
  /** For the compiler only: the parameter and row types. */
  readonly types?: (parameters: P) => Row;
}

/**
 * Parameters are written as `:name`. Write constants literally: partial indexes aren't used for bound values. Write `:limit + 0`: for a bare
 * limit, SQLite would replan the query for each value.
 */
export function prepared<P, Row = never>(text: string): Statement<P, Row> {
  const names: (keyof P & string)[] = [];
  const sql = text.replace(/(?<!:):([a-z]\w*)/gi, (_, name: keyof P & string) => {
    names.push(name);
    return '?';
  });
  return { sql, names };
}

/** Inserts one row, with camel-case parameters. `more` is appended. */
export function insertInto<T extends Table>({ name, names }: T, more = ''): Statement<RowOf<T>, never> {
  const values = names.map((column) => `:${camel(column)}`);
  return prepared(`insert into ${name} (${names.join(', ')}) values (${values.join(', ')})${more}`);
}
