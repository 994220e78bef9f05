import { CountersignError } from '@countersign/protocol';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { snake } from './batch.js';

interface Column {
  name: string;
  type: 'TEXT' | 'INTEGER';
  notnull: 0 | 1;
}

export interface RowChecker {
  /** Rejects a row that the table would reject or store differently. */
  whole(row: object): void;
  /** Like `whole`, for changed columns only. */
  change(change: object): void;
}

/** Columns by table, shared by all open stores: each has the newest schema. */
const columnsOf = new Map<string, ReadonlyMap<string, Column>>();

function readColumns(db: DatabaseSyncInstance, table: string): ReadonlyMap<string, Column> {
  const columns = db.prepare(`pragma table_info(${table})`).all() as Column[];
  const byName = new Map(columns.map((column) => [column.name, column]));
  columnsOf.set(table, byName);
  return byName;
}

/** `names`: properties of a row, named like the columns. */
export function rowChecker(db: DatabaseSyncInstance, table: string, names: readonly string[]): RowChecker {
  const columns = columnsOf.get(table) ?? readColumns(db, table);
  const known = names.map((name) => ({ name, column: columns.get(snake(name)) }));

  function check(row: object, isWhole: boolean): void {
    for (const { name, column } of known) {
      const value = (row as Readonly<Record<string, unknown>>)[name];
      if (value === undefined && !isWhole) continue;
      if (column === undefined || !fits(value, column)) throw unfit(name);
    }
  }
  return { whole: (row) => check(row, true), change: (change) => check(change, false) };
}

/** Far longer than any message, and still within SQLite's limit as UTF-8. */
const MAX_CHARACTERS = 100_000_000;

function fits(value: unknown, { type, notnull }: Column): boolean {
  if (value === null) return notnull === 0;
  if (type === 'TEXT') return typeof value === 'string' && value.length <= MAX_CHARACTERS;
  return typeof value === 'boolean' || Number.isSafeInteger(value);
}

function unfit(name: string): CountersignError {
  return new CountersignError('invalid', `${name}: missing, too long or of the wrong type`, { field: name });
}
