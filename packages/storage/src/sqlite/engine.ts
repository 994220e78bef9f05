import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Clock, OnCommit, StepNeeds, StepWrites } from '@countersign/core/ports';
import { verbsOn, type Decide, type Engine, type Finished, type Unit } from '../engine.js';
import { createMutex } from '../mutex.js';
import type { Statements } from '../statements.js';
import { entryChecker } from './check-change.js';
import { sqliteConnection, type SqliteConnection } from './connection.js';
import type { Entry } from './entry.js';
import { fromSqlite } from './errors.js';
import { entryFolder } from './fold.js';
import { createGroupCommit } from './group-commit.js';
import { createStateCache } from './state-cache.js';
import { numberAndChain } from './number-and-chain.js';
import { closeDatabase } from './open-database.js';
import type { StepLog } from './step-log.js';
import { sqliteReads } from './step-reads.js';
import { headsReader, stepWriter } from './step-writer.js';
import { openTables } from './tables.js';

/** When the tables are committed: the log has grown so long, or was begun so long ago. A longer one would hold up the event loop. */
const MOST_BYTES = 1 << 18;
const MOST_MS = 1_000;

/** One connection. Everything takes its turn on it, reads too: between the statements of a transaction they would see half of it. */
export function sqliteEngine(
  db: DatabaseSyncInstance,
  file: string,
  statements: Statements,
  clock: Pick<Clock, 'now'>,
  log: StepLog,
): Engine {
  const connection = sqliteConnection(db, file);
  const verbs = verbsOn(connection, statements);
  const { session } = verbs;
  const kept = createStateCache();
  const tables = openTables(db, statements, log);
  const ready = readAfter(connection, () => execute(tables.ready));
  const folded = readAfter(connection, () => execute(tables.fold));
  const reads = sqliteReads(ready, folded, statements, kept, tables.sent);
  const assertWritable = entryChecker(db, statements, { kept, sent: (chatId, id) => reads.sent(chatId, id) });
  const writer = stepWriter(ready, folded, statements, kept, assertWritable);
  const readHeads = headsReader(connection, statements);
  const foldEntries = entryFolder(db, statements);
  const exclusive = createMutex();
  const group = createGroupCommit({ append: tables.append, sync: tables.sync, undo });
  let timer: NodeJS.Timeout | undefined;
  /** The size of the log from which on the tables are committed at once. After a failure it may grow as much again. */
  let commitAt = MOST_BYTES;
  /** Works that wait for the connection, or have it to themselves. */
  let waiting = 0;

  const finish: Unit['finish'] = async (worldId) => {
    const { emissions, records, now } = session;
    if (emissions.length === 0 && records.length === 0) return { events: [], head: undefined };
    const { events, rows, links, heads } = numberAndChain(worldId, now, readHeads(worldId), { emissions, records });
    execute(() => foldEntries([{ worldId, now, changes: [], events: rows, links, heads }]));
    return { events, head: records.length === 0 ? undefined : heads };
  };
  const unit: Unit = { ...verbs, finish };

  function start(): void {
    execute(tables.fold);
    session.now = clock.now();
    session.emissions = [];
    session.records = [];
    connection.start();
  }
  function undo(isUnsynced: boolean): void {
    // What is kept may be what was never written.
    kept.clear();
    tables.undo(isUnsynced);
  }
  /** A long log takes long to be read again. */
  function commitLater(): void {
    if (log.size >= commitAt) commitInTurn();
    else timer ??= setTimeout(commitInTurn, MOST_MS).unref();
  }
  function commitInTurn(): void {
    clearTimeout(timer);
    timer = undefined;
    commitAt = Infinity;
    alone(async () => {
      try {
        tables.commit();
      } finally {
        commitAt = log.size + MOST_BYTES;
      }
      // If it fails, everything is in the log, and the next read reports it.
    }).catch(ignore);
  }

  /** At once. What it writes is kept with the group. */
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
      // They may be half changed.
      for (const id of reads.given.keys()) kept.drop(id);
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
  /** Also one that only read, or failed, has seen what the group has not kept yet. */
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
  /** The same, with all steps before it kept, or lost. */
  function alone<T>(work: () => Promise<T>): Promise<T> {
    return inTurn(async () => {
      group.flush();
      await group.committed().catch(ignore);
      return await work();
    });
  }
  async function change<T>(work: (unit: Unit) => Promise<T>): Promise<T> {
    const hasWritten = (): boolean =>
      connection.hasWritten || session.emissions.length > 0 || session.records.length > 0;
    start();
    execute(tables.begin);
    try {
      const result = await work(unit);
      connection.assertWhole();
      if (hasWritten()) {
        kept.clear();
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
    // It may see what an open group has written, and is told once that is kept.
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
    step: <T>(worldId: string, _: StepNeeds, decide: Decide<T>, published: OnCommit | undefined) =>
      new Promise<Finished & { value: T }>((resolve, reject) => {
        const run = (): void => join(worldId, decide, published, { resolve, reject });
        if (waiting === 0) {
          run();
          return;
        }
        // In its turn, but the next one does not wait until this one is kept.
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

/** The connection for reads that need the tables in a certain state. */
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
