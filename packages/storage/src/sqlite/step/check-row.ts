import { CountersignError } from '@countersign/protocol';
import { camel } from '../../camel.js';
import type { Table } from '../../schema.js';

export interface RowChecker {
  /** Rejects a row that the table would reject or store differently. */
  whole(row: object): void;
  /** Like `whole`, for changed columns only. */
  change(change: object): void;
}

export function rowChecker(table: Table): RowChecker {
  const columns = table.columns.map(([column, type]) => ({
    name: camel(column),
    isText: type.startsWith('text'),
    isNullable: !type.includes('not null'),
  }));

  function check(row: object, isWhole: boolean): void {
    for (const column of columns) {
      const value = (row as Readonly<Record<string, unknown>>)[column.name];
      if (value === undefined && !isWhole) continue;
      if (!fits(value, column)) throw unfit(column.name);
    }
  }
  return { whole: (row) => check(row, true), change: (change) => check(change, false) };
}

/** Far longer than any message, and still within SQLite's limit as UTF-8. */
const MAX_CHARACTERS = 100_000_000;

function fits(value: unknown, { isText, isNullable }: { isText: boolean; isNullable: boolean }): boolean {
  if (value === null) return isNullable;
  if (isText) return typeof value === 'string' && value.length <= MAX_CHARACTERS;
  return typeof value === 'boolean' || Number.isSafeInteger(value);
}

function unfit(name: string): CountersignError {
  return new CountersignError('invalid', `${name}: missing, too long or of the wrong type`, { field: name });
}
