import type { Store } from '@countersign/core/ports';
import type { CopyProgress, CopyReport, StorePlace } from './copy/copy-store.js';
import type { PostgresOptions } from './postgres/open-postgres.js';
import type { SeenStore } from './sqlite/look-at-sqlite.js';

// The driver and the job engine are loaded when somebody has a PostgreSQL: they take as long as the rest of a store, and most have none.

/** Opens a store that any number of processes can share (S4). */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Store> {
  const loaded = await import('./postgres/open-postgres.js');
  return await loaded.openPostgres(url, options);
}

/** Looks at a store without making or changing anything in it. */
export async function lookAtPostgres(url: string): Promise<SeenStore> {
  const loaded = await import('./postgres/look-at-postgres.js');
  return await loaded.lookAtPostgres(url);
}

/** Copies everything from one store into another, empty one: all of it is there afterwards, or nothing is. */
export async function copyStore(
  from: StorePlace,
  to: StorePlace,
  onProgress?: (progress: CopyProgress) => void,
): Promise<CopyReport> {
  const loaded = await import('./copy/copy-store.js');
  return await loaded.copyStore(from, to, onProgress);
}
