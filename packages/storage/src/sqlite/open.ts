import { resolve } from 'node:path';
import type { Clock, Store } from '@countersign/core/ports';
import { keepHeadsInFile, keepHeadsInMemory } from '../audit/head-keeper.js';
import { createStore } from '../create-store.js';
import { sqliteEngine } from './engine.js';
import { closeDatabase, openDatabase } from './file/open-database.js';
import { ownFile } from './file/own-file.js';
import { sqliteStatements } from './statements.js';
import { fileLog, logFileOf, memoryLog } from './log/step-log.js';
import { markOf } from './log/mark.js';

/** Options for `openSqlite`. */
export interface SqliteOptions {
  /** The store's clock. Default: the system clock. */
  clock?: Pick<Clock, 'now'>;
  /**
   * `FULL` (default): each step survives a power loss. `NORMAL` survives a killed process and is several times faster, but a power loss may
   * drop the last steps, and a tool that already ran would run again.
   */
  synchronous?: 'FULL' | 'NORMAL';
}

/**
 * Opens a store in a file, which this process owns until `close`; `:memory:` is temporary. Rejects files that aren't ours, are newer, read-only
 * or in use, and leaves them unchanged.
 */
export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<Store> {
  const { synchronous = 'FULL', clock = Date } = options;
  if (path === ':memory:') {
    const db = openDatabase(path, synchronous);
    const engine = sqliteEngine(db, 'The store in memory', sqliteStatements, clock, memoryLog());
    return createStore(engine, keepHeadsInMemory);
  }

  const file = resolve(path);
  const owned = ownFile(file);
  try {
    const db = openDatabase(file, synchronous);
    try {
      owned.noteOwner();
      const log = fileLog(logFileOf(file), markOf(db), synchronous);
      const engine = sqliteEngine(db, file, sqliteStatements, clock, log);
      const close = () => engine.close().finally(() => owned.release());
      return await createStore({ ...engine, close }, (chains) => keepHeadsInFile(`${file}.audit-head`, chains));
    } catch (cause) {
      closeDatabase(db, file);
      throw cause;
    }
  } catch (cause) {
    owned.release();
    throw cause;
  }
}
