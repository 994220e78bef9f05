import type { Statement } from './queries/prepared.js';

/** Synchronous on SQLite, a promise on PostgreSQL; `await` handles both. */
export type Soon<T> = T | Promise<T>;

/**
 * A database connection. Each method prepares a statement and returns a function that runs it. After any error, the transaction can only be
 * rolled back, even if the error was caught.
 */
export interface Connection {
  all<P, Row, T>(statement: Statement<P, Row>, read: (row: Row) => T): (parameters: P) => Soon<T[]>;
  first<P, Row, T>(statement: Statement<P, Row>, read: (row: Row) => T): (parameters: P) => Soon<T | undefined>;
  /** Returns the number of changed rows. */
  run<P>(statement: Statement<P, unknown>): (parameters: P) => Soon<number>;
}
