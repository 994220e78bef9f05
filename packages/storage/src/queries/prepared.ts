import { sql, type Compilable, type Insertable, type Kysely, type RawBuilder } from 'kysely';
import type { Tables } from '../schema.js';

export type Value = string | number | null;

/**
 * A query that was typed and put together once. `names` are its parameters in the order in which they are bound; `Row` is what it
 * selects, in the order of its columns: an object for each row, with its names, costs a read twice as much (N1).
 */
export interface Statement<P, Row> {
  readonly sql: string;
  readonly names: readonly (keyof P & string)[];
  /** Only for the compiler: what the statement takes and gives. */
  readonly types?: (parameters: P) => Row;
}

/** Stands for a value that is not known yet. */
export type Bind<P> = <K extends keyof P & string>(name: K) => P[K];

export type Queries = Kysely<Tables>;

/**
 * Puts a query together with names where values will be. Building a query anew for each call costs more than running it: a step of
 * ten statements would take twice as long (N1).
 */
export function prepared<P, Row = never>(build: (bind: Bind<P>) => Compilable): Statement<P, Row> {
  const compiled = build(<K extends keyof P & string>(name: K) => new Parameter(name) as P[K]).compile();
  const names = compiled.parameters.map((parameter) => {
    if (parameter instanceof Parameter) return parameter.name as keyof P & string;
    // A constant would be bound as a parameter too, and no partial index is used for a value that is not in the text.
    throw new Error(`a constant must be written into the text: ${compiled.sql}`);
  });
  return { sql: compiled.sql, names };
}

class Parameter {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/**
 * A limit that is known only when the statement runs. SQLite plans a statement with a bare parameter as its limit anew for each new
 * value of it, and one that finds nothing would cost a hundred microseconds; it does not look into a sum.
 */
export function upTo(limit: number): RawBuilder<number> {
  return sql<number>`${limit} + 0`;
}

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;

/** What an insert takes: a table's columns under the names that records use. */
export type RowOf<Table> = { [K in keyof Table & string as Camel<K>]: Table[K] };

/** What a select of these columns gives for a row. */
export type Cells<Table, Columns extends readonly (keyof Table)[]> = { [I in keyof Columns]: Table[Columns[I]] };

/** A parameter for each column, named as in records: what an insert writes. */
export function valuesOf<Table>(
  columns: readonly (keyof Table & string)[],
  bind: Bind<RowOf<Table>>,
): Insertable<Table> {
  const parameter = bind as (name: string) => unknown;
  return Object.fromEntries(columns.map((column) => [column, parameter(camel(column))])) as Insertable<Table>;
}

function camel(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
