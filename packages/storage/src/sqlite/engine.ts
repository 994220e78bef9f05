import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Clock } from '@countersign/core/ports';
import { verbsOn, type Engine } from '../engine.js';
import { createMutex } from '../mutex.js';
import type { Statements } from '../statements.js';
import { sqliteConnection } from './connection.js';
import { fromSqlite } from './errors.js';
import { closeDatabase } from './open-database.js';
import { withWorkingSet } from './with-working-set.js';

/** One connection. Everything takes its turn on it, reads too: between the statements of a step they would see half of it. */
export function sqliteEngine(
  db: DatabaseSyncInstance,
  file: string,
  statements: Statements,
  clock: Pick<Clock, 'now'>,
): Engine {
  const connection = sqliteConnection(db, file);
  const unit = withWorkingSet(connection, statements, verbsOn(connection, statements));
  const { session } = unit;
  const exclusive = createMutex();
  // Immediate: a transaction that starts by reading and then writes could not be made to wait.
  const begin = db.prepare('begin immediate');
  const commit = db.prepare('commit');
  const rollback = db.prepare('rollback');

  function start(): void {
    session.now = clock.now();
    session.emissions = [];
    session.records = [];
    connection.start();
  }

  return {
    write: (work) =>
      exclusive(async () => {
        start();
        try {
          execute(begin);
          const result = await work(unit);
          connection.assertWhole();
          execute(commit);
          unit.kept();
          return result;
        } catch (error) {
          unit.forget();
          // A full disk has rolled it back already.
          if (db.isTransaction) rollback.run();
          throw error;
        } finally {
          connection.stop();
        }
      }),
    read: (work) =>
      exclusive(async () => {
        start();
        try {
          return await work(unit);
        } finally {
          connection.stop();
        }
      }),
    close: () => exclusive(async () => closeDatabase(db, file)),
  };

  function execute(statement: typeof begin): void {
    try {
      statement.run();
    } catch (cause) {
      throw fromSqlite(cause, file);
    }
  }
}
