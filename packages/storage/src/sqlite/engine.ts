import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Clock, Kept, StepNeeds, StepWrites } from '@countersign/core/ports';
import { verbsOn, type Decide, type Engine, type Finished, type Unit } from '../engine.js';
import { createMutex } from '../mutex.js';
import type { Statements } from '../statements.js';
import { createBatch } from './batch.js';
import { sqliteConnection } from './connection.js';
import { fromSqlite, primaryCode } from './errors.js';
import { createGroupCommit } from './group-commit.js';
import { createKeptStates } from './kept-states.js';
import { numberAndChain } from './number-and-chain.js';
import { closeDatabase } from './open-database.js';
import { sqliteReads } from './step-reads.js';
import { headsReader, stepWriter } from './step-writer.js';

/** One connection. Everything takes its turn on it, reads too: between the statements of a step they would see half of it. */
export function sqliteEngine(
  db: DatabaseSyncInstance,
  file: string,
  statements: Statements,
  clock: Pick<Clock, 'now'>,
): Engine {
  const connection = sqliteConnection(db, file);
  const verbs = verbsOn(connection, statements);
  const { session } = verbs;
  const batch = createBatch(db);
  const kept = createKeptStates();
  const reads = sqliteReads(connection, statements, kept);
  const writer = stepWriter(connection, batch, statements, kept);
  const readHeads = headsReader(connection, statements);
  const addSaid = numberAndChain(batch, statements);
  const exclusive = createMutex();
  // Immediate: a transaction that starts by reading and then writes could not be made to wait.
  const begin = db.prepare('begin immediate');
  const commit = db.prepare('commit');
  const rollback = db.prepare('rollback');
  const mark = db.prepare('savepoint step');
  const backToMark = db.prepare('rollback to step');
  const dropMark = db.prepare('release step');

  const group = createGroupCommit({ begin: () => execute(begin), commit: () => execute(commit), undo });
  /** Works that wait for the connection, or have it to themselves. */
  let waiting = 0;

  const finish: Unit['finish'] = async (worldId) => {
    const { emissions, records, now } = session;
    if (emissions.length === 0 && records.length === 0) return { events: [], head: undefined };
    batch.clear();
    const { events, heads } = addSaid(worldId, now, readHeads(worldId), { emissions, records });
    execute(batch);
    return { events, head: records.length === 0 ? undefined : heads };
  };
  const unit: Unit = { ...verbs, finish };

  function start(): void {
    session.now = clock.now();
    session.emissions = [];
    session.records = [];
    connection.start();
  }
  function undo(): void {
    // What is kept may be what was never written.
    kept.clear();
    // A full disk has rolled it back already.
    if (db.isTransaction) rollback.run();
  }

  /** At once. What it writes is committed with the group. */
  function run<T>(worldId: string, decide: Decide<T>): Finished & { value: T } {
    connection.start();
    const now = clock.now();
    reads.begin(worldId, now);
    try {
      const { value, writes } = decide(reads);
      if (isNothing(writes)) return { value, events: [], head: undefined };
      const planned = writer.plan(worldId, now, writes);
      write();
      writer.follow(worldId, writes, planned, reads.given.values());
      return { value, events: planned.events, head: writes.records.length === 0 ? undefined : planned.heads };
    } catch (error) {
      // They may be half changed.
      for (const id of reads.given.keys()) kept.drop(id);
      throw error;
    } finally {
      connection.stop();
    }
  }
  function write(): void {
    const isFirst = group.open();
    try {
      if (isFirst) batch.run();
      else writeBesideOthers();
    } catch (cause) {
      const error = fromSqlite(cause, file);
      if (!isFirst && isRefused(cause)) throw error;
      group.fail(error);
      throw error;
    }
  }
  /** What the database refuses of this step must not take the steps before it along: they may be of other people's chats. */
  function writeBesideOthers(): void {
    mark.run();
    try {
      batch.run();
    } catch (cause) {
      if (isRefused(cause)) {
        backToMark.run();
        dropMark.run();
      }
      throw cause;
    }
    dropMark.run();
  }
  /** Also one that only read, or failed, has seen what the group has not committed yet. */
  function join<T>(worldId: string, decide: Decide<T>, published: Kept | undefined, done: Done<T>): void {
    let settle: () => void;
    try {
      const finished = run(worldId, decide);
      settle = () => {
        published?.(finished.events);
        done.resolve(finished);
      };
    } catch (error) {
      settle = () => done.reject(error);
    }
    group.after(settle, done.reject);
  }
  /** With the connection to itself until it is done. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    waiting += 1;
    return exclusive(async () => {
      try {
        return await work();
      } finally {
        waiting -= 1;
      }
    });
  }
  /** The same, with nothing uncommitted before it. */
  function alone<T>(work: () => Promise<T>): Promise<T> {
    return inTurn(() => {
      group.commit();
      return work();
    });
  }

  return {
    write: (work, committed) =>
      alone(async () => {
        start();
        try {
          execute(begin);
          const result = await work(unit);
          connection.assertWhole();
          execute(commit);
          if (connection.hasWritten || session.emissions.length > 0 || session.records.length > 0) kept.clear();
          committed?.(result);
          return result;
        } catch (error) {
          undo();
          throw error;
        } finally {
          connection.stop();
        }
      }),
    // It may see what an open group has written, and is told once that is committed.
    async read(work) {
      const { result, committed } = await inTurn(async () => {
        // From its beginning: a group may be lost while it is read, and none begins meanwhile.
        const committed = group.committed();
        committed.catch(ignore);
        start();
        try {
          return { result: await work(unit), committed };
        } finally {
          connection.stop();
        }
      });
      await committed;
      return result;
    },
    // What it needs is read when it is asked for.
    step: <T>(worldId: string, _: StepNeeds, decide: Decide<T>, published: Kept | undefined) =>
      new Promise<Finished & { value: T }>((resolve, reject) => {
        const run = (): void => join(worldId, decide, published, { resolve, reject });
        if (waiting === 0) {
          run();
          return;
        }
        // In its turn, but the next one does not wait for the commit.
        waiting += 1;
        exclusive(async () => {
          waiting -= 1;
          run();
        }).catch(reject);
      }),
    close: () => alone(async () => closeDatabase(db, file)),
  };

  function execute(what: { run(): unknown }): void {
    try {
      what.run();
    } catch (cause) {
      throw fromSqlite(cause, file);
    }
  }
}

function ignore(): void {}

interface Done<T> {
  resolve: (finished: Finished & { value: T }) => void;
  reject: (error: unknown) => void;
}

/** For what it says (a key that is taken, a value that is too long), and not for want of a disk: the transaction is as it was before it. */
function isRefused(cause: unknown): boolean {
  const code = primaryCode(cause);
  return code === SQLITE_CONSTRAINT || code === SQLITE_TOOBIG;
}
const SQLITE_TOOBIG = 18;
const SQLITE_CONSTRAINT = 19;

function isNothing({ facts, emissions, records }: StepWrites): boolean {
  return facts.length === 0 && emissions.length === 0 && records.length === 0;
}
