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
import { newTransactionState, type TransactionState } from './transaction-state.js';
import type { Statements } from './statements.js';
import { transactionOn } from './transaction.js';
import { upkeepVerbs, type UpkeepVerbs } from './verbs/upkeep.js';

/** A connection with all verbs. */
export interface Verbs {
  state: TransactionState;
  tx: StoreTransaction;
  upkeep: UpkeepVerbs;
}

/** A connection with everything a transaction needs. */
export interface Unit extends Verbs {
  /**
   * Runs last before the commit: numbers events and chains audit records under the world's row lock. If it ran earlier, a slow step could
   * commit a lower number after a higher one was read, and a resumed stream would skip it (STORE6).
   */
  finish: (worldId: string) => Promise<Finished>;
}

export interface Finished {
  events: StoredEvent[];
  /** The new audit head, if the step wrote records. */
  head: AuditHead | undefined;
}

export type Decide<T> = (reads: StepReads) => { value: T; writes: StepWrites };

/** What differs between the databases: how an operation gets a connection and the time, and how it is made atomic. */
export interface Engine {
  /** Commits everything when the work resolves, and nothing if it rejects or any statement failed. */
  write<T>(work: (unit: Unit) => Promise<T>, committed?: (result: T) => void): Promise<T>;
  read<T>(work: (unit: Unit) => Promise<T>): Promise<T>;
  /** See `Store.step`. */
  step<T>(
    worldId: string,
    needs: StepNeeds,
    decide: Decide<T>,
    onCommit: OnCommit | undefined,
  ): Promise<Finished & { value: T }>;
  close(): Promise<void>;
}

export function verbsOn(connection: Connection, statements: Statements): Verbs {
  const state = newTransactionState();
  return {
    state,
    tx: transactionOn(connection, statements, state),
    upkeep: upkeepVerbs(connection, statements),
  };
}
