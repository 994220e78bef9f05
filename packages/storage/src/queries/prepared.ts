export type Value = string | number | null;

/**
 * A statement for both databases. `names` are its parameters in the order in which they are bound; `Row` is what it selects, in the order
 * of its columns: an object for each row, with its names, costs a read twice as much (N1).
 */
export interface Statement<P, Row> {
  /** With `?` for each parameter. */
  readonly sql: string;
  readonly names: readonly (keyof P & string)[];
  /** Only for the compiler: what the statement takes and gives. */
  readonly types?: (parameters: P) => Row;
}

/**
 * Parameters are written as `:name`. Constants belong into the text: no partial index is used for a value that is bound. A limit is written as
 * `:limit + 0`: SQLite would plan a statement with a bare one again for each new value, but does not look into a sum.
 */
export function prepared<P, Row = never>(text: string): Statement<P, Row> {
  const names: (keyof P & string)[] = [];
  const sql = text.replace(/(?<!:):([a-z]\w*)/gi, (_, name: keyof P & string) => {
    names.push(name);
    return '?';
  });
  return { sql, names };
}

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;

/** What an insert takes: a table's columns under the names that records use. */
export type RowOf<Table> = { [K in keyof Table & string as Camel<K>]: Table[K] };

/** What a select of these columns gives for a row. */
export type Cells<Table, Columns extends readonly (keyof Table)[]> = { [I in keyof Columns]: Table[Columns[I]] };

/** Inserts one row; its parameters are named as in records. `more` follows. */
export function insertInto<Table>(
  table: string,
  columns: readonly (keyof Table & string)[],
  more = '',
): Statement<RowOf<Table>, never> {
  const values = columns.map((column) => `:${camel(column)}`);
  return prepared(`insert into ${table} (${columns.join(', ')}) values (${values.join(', ')})${more}`);
}

export function camel(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
