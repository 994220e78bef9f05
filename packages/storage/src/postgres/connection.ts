import type pg from 'pg';
import type { Connection } from '../connection.js';
import type { Statement } from '../prepared.js';
import { readText, toValue } from '../text.js';
import { fromPostgres } from './errors.js';

export interface PostgresConnection extends Connection {
  start(kind: 'read' | 'write'): void;
  /** Throws the first error since `start`: PostgreSQL would answer `commit` with a silent rollback. */
  assertWhole(): void;
  /** From here on nothing runs: a transaction that somebody kept must not write on its own. */
  stop(): void;
}

export function postgresConnection(client: pg.PoolClient): PostgresConnection {
  let failure: Error | undefined;
  let state: 'idle' | 'read' | 'write' = 'idle';
  const lock = bound<{ chatId: string }, unknown>({
    sql: 'select 1 from chats where id = $1 for no key update',
    names: ['chatId'],
  });

  return {
    start(kind) {
      failure = undefined;
      state = kind;
    },
    assertWhole() {
      if (failure !== undefined) throw failure;
    },
    stop() {
      state = 'idle';
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
    async lockChat(chatId) {
      // Reads take no locks.
      if (state === 'write') await lock({ chatId });
    },
  };
  function bound<P, Row>({
    sql,
    names,
  }: Statement<P, Row>): (parameters: P) => Promise<pg.QueryArrayResult<unknown[]>> {
    const name = nameOf(sql);
    return async (parameters) => {
      if (state === 'idle') throw new Error('A transaction was used after its end.');
      const values = names.map((key) => toValue(parameters[key], key));
      try {
        return await client.query<unknown[]>({ name, text: sql, values, rowMode: 'array' });
      } catch (cause) {
        const error = fromPostgres(cause);
        failure ??= error;
        throw error;
      }
    };
  }
}

/** Under a name the server parses and plans a statement once for each connection. */
const names = new Map<string, string>();

function nameOf(sql: string): string {
  const known = names.get(sql) ?? `countersign_${names.size}`;
  names.set(sql, known);
  return known;
}
