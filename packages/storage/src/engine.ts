import type { StoreTransaction } from '@countersign/core/ports';
import type { Connection } from './connection.js';
import { newSession, type Session } from './session.js';
import type { Statements } from './statements.js';
import { transactionOn } from './transaction.js';
import { finishStep, type Finished } from './verbs/finish-step.js';
import { upkeepVerbs, type UpkeepVerbs } from './verbs/upkeep.js';

/** A connection with everything that is done over it. */
export interface Unit {
  session: Session;
  tx: StoreTransaction;
  upkeep: UpkeepVerbs;
  finish: (worldId: string) => Promise<Finished>;
}

/** What is different between the databases: how a piece of work gets a connection, a moment and its atomicity. */
export interface Engine {
  /** All of the work is committed when it resolves; none of it when it rejects, or when any of its statements failed. */
  write<T>(work: (unit: Unit) => Promise<T>): Promise<T>;
  read<T>(work: (unit: Unit) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function unitOn(connection: Connection, statements: Statements): Unit {
  const session = newSession();
  return {
    session,
    tx: transactionOn(connection, statements, session),
    upkeep: upkeepVerbs(connection, statements),
    finish: finishStep(connection, statements, session),
  };
}
