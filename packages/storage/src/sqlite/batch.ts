import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import type { Statement, Value } from '../queries/prepared.js';
import { toValue } from '../text.js';

/** Rows in one statement. Each number of them is a statement of its own. */
const MOST_ROWS = 8;

/** Adds one statement to the batch that it was made for. */
type Add<P> = (parameters: P) => void;

/**
 * Writes that are put together whole before the first of them runs: a value that no database can hold is refused with nothing done.
 * One batch is used again and again.
 */
export interface Batch {
  add<P>(statement: Statement<P, unknown>): Add<P>;
  /** Any number of rows with as few statements as can be: each costs as much as a row does. */
  addRows<P>(statement: Statement<P, unknown>): Add<readonly P[]>;
  /** An update by id with only the columns that change. `names`: properties that may, named like the columns. */
  addChange(table: string, names: readonly string[]): (id: string, change: object) => void;
  clear(): void;
  /** In the order they were added. */
  run(): void;
}

export function createBatch(db: DatabaseSyncInstance): Batch {
  let statements: StatementSyncInstance[] = [];
  let values: Value[][] = [];

  function push(statement: StatementSyncInstance, cells: Value[]): void {
    statements.push(statement);
    values.push(cells);
  }

  return {
    add<P>({ sql, names }: Statement<P, unknown>) {
      let prepared: StatementSyncInstance | undefined;
      return (parameters: P) => {
        const cells: Value[] = [];
        for (const name of names) cells.push(toCell(parameters[name], name));
        push((prepared ??= db.prepare(sql)), cells);
      };
    },
    addRows<P>({ sql, names }: Statement<P, unknown>) {
      const group = /\(\?(?:, \?)*\)$/.exec(sql)?.[0];
      if (group === undefined) throw new Error(`not an insert of one row: ${sql}`);
      const prepared: StatementSyncInstance[] = [];
      return (rows: readonly P[]) => {
        for (let from = 0; from < rows.length; from += MOST_ROWS) {
          const upto = Math.min(rows.length, from + MOST_ROWS);
          const cells: Value[] = [];
          for (let at = from; at < upto; at += 1) {
            const row = rows[at] as P;
            for (const name of names) cells.push(toCell(row[name], name));
          }
          const more = upto - from - 1;
          push((prepared[more] ??= db.prepare(sql + `, ${group}`.repeat(more))), cells);
        }
      };
    },
    addChange(table, names) {
      const prepared = new Map<number, StatementSyncInstance>();
      const assignments = names.map((name) => `${snake(name)} = ?`);
      const prepare = (mask: number): StatementSyncInstance => {
        const set = assignments.filter((_, index) => (mask & (1 << index)) !== 0).join(', ');
        const statement = db.prepare(`update ${table} set ${set} where id = ?`);
        prepared.set(mask, statement);
        return statement;
      };
      return (id, change) => {
        let mask = 0;
        const cells: Value[] = [];
        for (let index = 0; index < names.length; index += 1) {
          const name = names[index] as string;
          const value = (change as Readonly<Record<string, unknown>>)[name];
          if (value === undefined) continue;
          mask |= 1 << index;
          cells.push(toCell(value, name));
        }
        if (mask === 0) return;
        cells.push(toCell(id, 'id'));
        push(prepared.get(mask) ?? prepare(mask), cells);
      };
    },
    clear() {
      statements = [];
      values = [];
    },
    run() {
      for (let index = 0; index < statements.length; index += 1) statements[index]?.run(...(values[index] as Value[]));
    },
  };
}

function toCell(value: unknown, name: string): Value {
  return typeof value === 'boolean' ? Number(value) : toValue(value, name);
}

/** A property's name as that of its column. */
export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
