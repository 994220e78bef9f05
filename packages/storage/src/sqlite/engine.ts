import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Clock, OnCommit, StepNeeds, StepWrites } from '@countersign/core/ports';
import { verbsOn, type Decide, type Engine, type Finished, type Unit } from '../engine.js';
import { createMutex } from '../mutex.js';
import type { Statements } from '../statements.js';
import { entryChecker } from './step/check-change.js';
import { sqliteConnection, type SqliteConnection } from './connection.js';
import type { Entry } from './log/entry.js';
import { fromSqlite } from './errors.js';
import { entryFolder } from './log/fold.js';
import { createGroupCommit } from './step/group-commit.js';
import { createStateCache } from './step/chat-cache.js';
import { numberAndChain } from './step/number-and-chain.js';
import { closeDatabase } from './file/open-database.js';
import type { StepLog } from './log/step-log.js';
import { sqliteReads } from './step/reads.js';
import { headsReader, stepWriter } from './step/writer.js';
import { openTables } from './log/tables.js';

/** The tables are committed when the log reaches this size or age. Committing a larger log would block the event loop. */
const MAX_LOG_BYTES = 1 << 18;
const MAX_LOG_AGE_MS = 1_000;

/** One connection, used by one transaction or read at a time: a read between two statements would see half of a transaction. */
export function sqliteEngine(
  db: DatabaseSyncInstance,
  file: string,
  statements: Statements,
  clock: Pick<Clock, 'now'>,
  log: StepLog,
): Engine {
  const connection = sqliteConnection(db, file);
  const verbs = verbsOn(connection, statements);
  const { state } = verbs;
  const cache = createStateCache();
  const tables = openTables(db, statements, log);
  const ready = readAfter(connection, () => execute(tables.ready));
  const folded = readAfter(connection, () => execute(tables.fold));
  const reads = sqliteReads(ready, folded, statements, cache, tables.sent);
  const assertWritable = entryChecker({ cache, sent: (chatId, id) => reads.sent(chatId, id) });
  const writer = stepWriter(ready, folded, statements, cache, assertWritable);
  const readHeads = headsReader(connection, statements);
  const foldEntries = entryFolder(db, statements);
  const exclusive = createMutex();
  const group = createGroupCommit({ append: tables.append, sync: tables.sync, undo });
  let timer: NodeJS.Timeout | undefined;
  /** The log size at which the tables are committed. After a failure, the log may grow by the same amount again. */
  let commitAt = MAX_LOG_BYTES;
  /** The number of operations that hold the connection or wait for it. */
  let waiting = 0;

  const finish: Unit['finish'] = async (worldId) => {
    const { emissions, records, now } = state;
    if (emissions.length === 0 && records.length === 0) return { events: [], head: undefined };
    const { events, rows, links, heads } = numberAndChain(worldId, now, readHeads(worldId), { emissions, records });
    execute(() => foldEntries([{ worldId, now, changes: [], events: rows, links, heads }]));
    return { events, head: records.length === 0 ? undefined : heads };
  };
  const unit: Unit = { ...verbs, finish };

  function start(): void {
    execute(tables.fold);
    state.now = clock.now();
    state.emissions = [];
    state.records = [];
    connection.start();
  }
  function undo(isUnsynced: boolean): void {
    // The cached state may never have been written.
    cache.clear();
    tables.undo(isUnsynced);
  }
  /** Keeps the log short, so that recovery is fast. */
  function commitLater(): void {
    if (log.size >= commitAt) commitInTurn();
    else timer ??= setTimeout(commitInTurn, MAX_LOG_AGE_MS).unref();
  }
  function commitInTurn(): void {
    clearTimeout(timer);
    timer = undefined;
    commitAt = Infinity;
    alone(async () => {
      try {
        tables.commit();
      } finally {
        commitAt = log.size + MAX_LOG_BYTES;
      }
      // If this fails, everything is still in the log, and the next read reports the error.
    }).catch(ignore);
  }

  /** Runs a step synchronously. Its writes become durable with the group. */
  function run<T>(worldId: string, decide: Decide<T>): Finished & { value: T } {
    connection.start();
    const now = clock.now();
    reads.begin(worldId, now);
    try {
      const { value, writes } = decide(reads);
      if (isNothing(writes)) return { value, events: [], head: undefined };
      const { entry, events } = writer.plan(worldId, now, writes);
      write(entry);
      writer.follow(entry, reads.given.values());
      return { value, events, head: writes.records.length === 0 ? undefined : entry.heads };
    } catch (error) {
      // The state of these chats may be partly changed.
      for (const id of reads.given.keys()) cache.drop(id);
      throw error;
    } finally {
      connection.stop();
    }
  }
  function write(entry: Entry): void {
    execute(() => tables.add(entry));
    group.open();
    commitLater();
  }
  /** Steps that only read or failed also wait: they may have seen writes in the group that are not durable yet. */
  function join<T>(worldId: string, decide: Decide<T>, published: OnCommit | undefined, done: Done<T>): void {
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
  /** Holds the connection until the work is done. */
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
  /** Like `inTurn`, after all earlier steps are durable or have failed. */
  function alone<T>(work: () => Promise<T>): Promise<T> {
    return inTurn(async () => {
      group.flush();
      await group.committed().catch(ignore);
      return await work();
    });
  }
  async function change<T>(work: (unit: Unit) => Promise<T>): Promise<T> {
    const hasWritten = (): boolean => connection.hasWritten || state.emissions.length > 0 || state.records.length > 0;
    start();
    execute(tables.begin);
    try {
      const result = await work(unit);
      connection.assertWhole();
      if (hasWritten()) {
        cache.clear();
        execute(tables.commit);
      }
      return result;
    } catch (error) {
      if (hasWritten()) tables.rollBack();
      throw error;
    } finally {
      connection.stop();
    }
  }

  return {
    write: (work, committed) =>
      alone(async () => {
        const result = await change(work);
        committed?.(result);
        return result;
      }),
    // A read may see writes in an open group, so it resolves once they are durable.
    async read(work) {
      const { result, committed } = await inTurn(async () => {
        // Captured at the start: the group may fail during the read, and no new one starts in the meantime.
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
    // Reads lazily, so `needs` is ignored.
    step: <T>(worldId: string, _: StepNeeds, decide: Decide<T>, published: OnCommit | undefined) =>
      new Promise<Finished & { value: T }>((resolve, reject) => {
        const run = (): void => join(worldId, decide, published, { resolve, reject });
        if (waiting === 0) {
          run();
          return;
        }
        // The step waits for the connection, but the next one doesn't wait until this one is durable.
        waiting += 1;
        exclusive(async () => {
          waiting -= 1;
          run();
        }).catch(reject);
      }),
    close: () =>
      alone(async () => {
        clearTimeout(timer);
        try {
          execute(tables.commit);
        } finally {
          log.close();
          closeDatabase(db, file);
        }
      }),
  };

  function execute(what: () => void): void {
    try {
      what();
    } catch (cause) {
      throw fromSqlite(cause, file);
    }
  }
}

/** A connection that prepares the tables before each read. */
function readAfter(on: SqliteConnection, prepare: () => void): SqliteConnection {
  const prepared =
    <P, T>(run: (parameters: P) => T) =>
    (parameters: P): T => {
      prepare();
      return run(parameters);
    };
  return {
    ...on,
    all: (statement, read) => prepared(on.all(statement, read)),
    first: (statement, read) => prepared(on.first(statement, read)),
  };
}

function ignore(): void {}

interface Done<T> {
  resolve: (finished: Finished & { value: T }) => void;
  reject: (error: unknown) => void;
}

function isNothing({ changes, emissions, records }: StepWrites): boolean {
  return changes.length === 0 && emissions.length === 0 && records.length === 0;
}
