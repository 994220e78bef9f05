import type { Statement } from './queries/prepared.js';

/** A result that is there at once on SQLite and later on PostgreSQL; `await` takes both. */
export type Soon<T> = T | Promise<T>;

/**
 * One database connection as the verbs see it. Each method binds a statement once and gives a function that runs it.
 * After any failure the transaction can only be rolled back: what was half done must not be committed because somebody caught an error.
 */
export interface Connection {
  all<P, Row, T>(statement: Statement<P, Row>, read: (row: Row) => T): (parameters: P) => Soon<T[]>;
  first<P, Row, T>(statement: Statement<P, Row>, read: (row: Row) => T): (parameters: P) => Soon<T | undefined>;
  /** Gives the number of rows that changed. */
  run<P>(statement: Statement<P, unknown>): (parameters: P) => Soon<number>;
}
