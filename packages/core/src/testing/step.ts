import { RowTransaction } from './row-transaction.js';
import type { StepNeeds, Store } from '../ports/index.js';

/** Runs one step on a store, decided by `work`. */
export function stepOf<T>(
  store: Store,
  worldId: string,
  needs: StepNeeds,
  work: (tx: RowTransaction) => T,
): ReturnType<typeof store.step<T>> {
  return store.step(worldId, needs, (reads) => {
    const tx = new RowTransaction(worldId, needs, reads);
    const value = work(tx);
    return { value, writes: tx.writes() };
  });
}
