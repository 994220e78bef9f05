import type pg from 'pg';
import type { Connection } from '../connection.js';
import type { Statement } from '../queries/prepared.js';
import { readText, toValue } from '../text.js';
import { fromPostgres } from './errors.js';

export interface PostgresConnection extends Connection {
  start(): void;
  /** Throws the first error since `start`: PostgreSQL would respond to `commit` with a silent rollback. */
  assertWhole(): void;
  /** Blocks further statements: a leaked transaction must not write on its own. */
  stop(): void;
}

export function postgresConnection(client: pg.PoolClient): PostgresConnection {
  let failure: Error | undefined;
  let isActive = false;
  /** Sequence number of the current transaction on this connection. */
  let nth = 0;
  /** The current query. A connection runs one at a time, and future versions of the driver will reject a second one. */
  let last: Promise<void> = Promise.resolve();

  return {
    start() {
      failure = undefined;
      isActive = true;
      nth += 1;
    },
    assertWhole() {
      if (failure !== undefined) throw failure;
    },
    stop() {
      isActive = false;
    },
    all<P, Row, T>(statement: Statement<P, Row>, read: (row: Row) => T) {
      const query = bound(statement);
      return async (parameters: P) => (await query(parameters)).rows.map((row) => read(readText(row) as Row));
    },
    first<P, Row, T>(statement: Statement<P, Row>, read: (row: Row) => T) {
      const query = bound(statement);
      return async (parameters: P) => {
        const row = (await query(parameters)).rows[0];
        return row === undefined ? undefined : read(readText(row) as Row);
      };
    },
    run<P>(statement: Statement<P, unknown>) {
      const query = bound(statement);
      return async (parameters: P) => (await query(parameters)).rowCount ?? 0;
    },
  };
  function bound<P, Row>({
    sql,
    names,
  }: Statement<P, Row>): (parameters: P) => Promise<pg.QueryArrayResult<unknown[]>> {
    const text = numbered(sql);
    const name = nameOf(text);
    return async (parameters) => {
      const mine = nth;
      const assertActive = (): void => {
        if (!isActive || nth !== mine) throw new Error('A transaction was used after it ended.');
      };
      assertActive();
      const values = names.map((key) => toValue(parameters[key], key));
      const before = last;
      const query = (async () => {
        await before;
        // A statement queued behind a failed one would run after the rollback and autocommit.
        assertActive();
        return await client.query<unknown[]>({ name, text, values, rowMode: 'array' });
      })();
      last = query.then(ignore, ignore);
      try {
        return await query;
      } catch (cause) {
        assertActive();
        const error = fromPostgres(cause);
        failure ??= error;
        throw error;
      }
    };
  }
}

/** Numbers the parameters, as PostgreSQL requires. */
export function numbered(sql: string): string {
  let nth = 0;
  return sql.replace(/\?/g, () => `$${(nth += 1)}`);
}

/** Statements are named, so that the server parses and plans each one once per connection. */
const names = new Map<string, string>();

export function nameOf(sql: string): string {
  const known = names.get(sql) ?? `countersign_${names.size}`;
  names.set(sql, known);
  return known;
}

function ignore(): void {}
