import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import type { Statement, Value } from '../../queries/prepared.js';
import { camel } from '../../camel.js';
import { changingIn, type Table } from '../../schema.js';
import { toValue } from '../../text.js';

/** Rows per statement, a power of two. Each row count needs its own prepared statement, so fewer rows use the next lower powers. */
const MAX_ROWS = 32;

/** Adds a statement to the batch it was created for. */
type Add<P> = (parameters: P) => void;

/** Writes that are all converted before the first one runs, so that an unsupported value is rejected before anything is written. Reusable. */
export interface Batch {
  add<P>(statement: Statement<P, unknown>): Add<P>;
  /** Inserts any number of rows with as few statements as possible: a statement costs as much as a row. */
  addRows<P>(statement: Statement<P, unknown>): Add<readonly P[]>;
  /** Adds an update by id that sets only the changed columns. */
  addChange(table: Table): (id: string, change: object) => void;
  clear(): void;
  /** Runs the writes in insertion order. */
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
      const prepared = new Map<number, StatementSyncInstance>();
      const prepare = (count: number): StatementSyncInstance => {
        const statement = db.prepare(sql + `, ${group}`.repeat(count - 1));
        prepared.set(count, statement);
        return statement;
      };
      return (rows: readonly P[]) => {
        let count = MAX_ROWS;
        for (let from = 0; from < rows.length; from += count) {
          while (count > rows.length - from) count /= 2;
          const cells: Value[] = [];
          for (let at = from; at < from + count; at += 1) {
            const row = rows[at] as P;
            for (const name of names) cells.push(toCell(row[name], name));
          }
          push(prepared.get(count) ?? prepare(count), cells);
        }
      };
    },
    addChange(table) {
      const columns = changingIn(table);
      const names = columns.map(camel);
      const prepared = new Map<number, StatementSyncInstance>();
      const assignments = columns.map((column) => `${column} = ?`);
      const prepare = (mask: number): StatementSyncInstance => {
        const set = assignments.filter((_, index) => (mask & (1 << index)) !== 0).join(', ');
        const statement = db.prepare(`update ${table.name} set ${set} where id = ?`);
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
