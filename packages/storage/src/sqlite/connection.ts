import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import type { Connection } from '../connection.js';
import type { Statement, Value } from '../queries/prepared.js';
import { readText, toValue } from '../text.js';
import { fromSqlite } from './errors.js';

export interface SqliteConnection extends Connection {
  start(): void;
  /**
   * Throws the first error since `start`, like every later statement. A partly failed transaction is never committed, even if the error was
   * caught: SQLite may have ended it, and later statements would autocommit.
   */
  assertWhole(): void;
  /** Blocks further statements: a leaked transaction must not write on its own. */
  stop(): void;
  /** Whether anything other than a read has run since `start`. */
  readonly hasWritten: boolean;
  // Synchronous, unlike queries over a network.
  all<P, Row, T>(statement: Statement<P, Row>, read: (row: Row) => T): (parameters: P) => T[];
  first<P, Row, T>(statement: Statement<P, Row>, read: (row: Row) => T): (parameters: P) => T | undefined;
  run<P>(statement: Statement<P, unknown>): (parameters: P) => number;
}

export function sqliteConnection(db: DatabaseSyncInstance, file: string): SqliteConnection {
  let failure: Error | undefined;
  let isActive = false;
  let hasWritten = false;

  return {
    start() {
      failure = undefined;
      isActive = true;
      hasWritten = false;
    },
    assertWhole() {
      if (failure !== undefined) throw failure;
    },
    stop() {
      isActive = false;
    },
    get hasWritten() {
      return hasWritten;
    },
    all<P, Row, T>(statement: Statement<P, Row>, read: (row: Row) => T) {
      return bound(statement, (prepared, values) => {
        const rows = prepared.all(...values) as unknown[][];
        return rows.map((row) => read(readText(row) as Row));
      });
    },
    first<P, Row, T>(statement: Statement<P, Row>, read: (row: Row) => T) {
      return bound(statement, (prepared, values) => {
        const row = prepared.get(...values) as unknown[] | undefined;
        return row === undefined ? undefined : read(readText(row) as Row);
      });
    },
    run<P>(statement: Statement<P, unknown>) {
      return bound(statement, (prepared, values) => prepared.run(...values).changes);
    },
  };

  function bound<P, Row, T>(
    { sql, names }: Statement<P, Row>,
    run: (prepared: StatementSyncInstance, values: Value[]) => T,
  ): (parameters: P) => T {
    let prepared: StatementSyncInstance | undefined;
    const writes = !/^(?:select|with)\b/.test(sql);
    return (parameters) => {
      assertActive();
      if (failure !== undefined) throw failure;
      hasWritten ||= writes;
      try {
        prepared ??= prepare(sql);
        const values: Value[] = [];
        for (const name of names) values.push(toValue(parameters[name], name));
        return run(prepared, values);
      } catch (cause) {
        throw failed(cause);
      }
    };
  }
  function assertActive(): void {
    if (!isActive) throw new Error('A transaction was used after it ended.');
  }
  function failed(cause: unknown): Error {
    const error = fromSqlite(cause, file);
    failure ??= error;
    return error;
  }
  function prepare(sql: string): StatementSyncInstance {
    const prepared = db.prepare(sql);
    prepared.setReturnArrays(true);
    return prepared;
  }
}
