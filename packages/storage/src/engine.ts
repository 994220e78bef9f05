import type {
  StepNeeds,
  StepReads,
  StepWrites,
  StoredEvent,
  StoreTransaction,
  OnCommit,
} from '@countersign/core/ports';
import type { AuditHead } from './audit/head.js';
import type { Connection } from './connection.js';
import { newSession, type Session } from './session.js';
import type { Statements } from './statements.js';
import { transactionOn } from './transaction.js';
import { upkeepVerbs, type UpkeepVerbs } from './verbs/upkeep.js';

/** A connection with all the verbs over it. */
export interface Verbs {
  session: Session;
  tx: StoreTransaction;
  upkeep: UpkeepVerbs;
}

/** A connection with everything that is done over it. */
export interface Unit extends Verbs {
  /**
   * The last thing before the commit: numbers what was emitted and chains what was recorded, under the world's row lock. Done earlier,
   * a slow step could commit a lower number after a higher one was read, and a resumed stream would skip it (S6).
   */
  finish: (worldId: string) => Promise<Finished>;
}

export interface Finished {
  events: StoredEvent[];
  /** The new end of the audit chain, if the step recorded anything. */
  head: AuditHead | undefined;
}

export type Decide<T> = (reads: StepReads) => { value: T; writes: StepWrites };

/** What is different between the databases: how a piece of work gets a connection, a moment and its atomicity. */
export interface Engine {
  /** All of the work is committed when it resolves; none of it when it rejects, or when any of its statements failed. */
  write<T>(work: (unit: Unit) => Promise<T>, committed?: (result: T) => void): Promise<T>;
  read<T>(work: (unit: Unit) => Promise<T>): Promise<T>;
  /** As `Store.step`. */
  step<T>(
    worldId: string,
    needs: StepNeeds,
    decide: Decide<T>,
    kept: OnCommit | undefined,
  ): Promise<Finished & { value: T }>;
  close(): Promise<void>;
}

export function verbsOn(connection: Connection, statements: Statements): Verbs {
  const session = newSession();
  return {
    session,
    tx: transactionOn(connection, statements, session),
    upkeep: upkeepVerbs(connection, statements),
  };
}
