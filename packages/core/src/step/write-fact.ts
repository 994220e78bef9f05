import type { StoreTransaction } from '../ports/index.js';
import { deriveWorld, type WorldFact } from '../facts/world-fact.js';

/** Writes a fact in a transaction: its row, its audit records and its events. Returns false, and writes nothing, if there was no row to change. */
export async function writeFact(
  tx: StoreTransaction,
  // The others change chats too, so only steps write them.
  fact: Exclude<WorldFact, { kind: 'agent-removed' | 'world-deleted' }>,
): Promise<boolean> {
  const { row, records = [], events = [] } = deriveWorld(fact);
  if ((await row?.(tx)) === false) return false;
  for (const record of records) tx.record(record);
  for (const event of events) tx.emit(event);
  return true;
}
