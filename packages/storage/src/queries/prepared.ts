export type Value = string | number | null;

/**
 * A statement for both databases. `names` are its parameters in bind order; `Row` is an array of cells in column order: objects
 * would double the cost of a read (N1).
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

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;

/** Parameters of an insert: the columns of a table in camel case. */
export type RowOf<Table> = { [K in keyof Table & string as Camel<K>]: Table[K] };

/** A row with the selected columns. */
export type Cells<Table, Columns extends readonly (keyof Table)[]> = { [I in keyof Columns]: Table[Columns[I]] };

/** Inserts one row, with camel-case parameters. `more` is appended. */
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
