import type { Store } from '@countersign/core/ports';
import { explainMissing } from './explain-missing.js';
import type { CopyProgress, CopyReport, StorePlace } from './copy/copy-store.js';
import type { PostgresOptions } from './postgres/open.js';
import type { StoreInspection } from './sqlite/inspect.js';

// Loaded lazily: the driver and the job queue take as long to load as the rest of the store, and most installations don't use PostgreSQL.

/** Opens a store that any number of processes can share (STORE4). */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Store> {
  const loaded = await explainMissing(import('./postgres/open.js'));
  return await loaded.openPostgres(url, options);
}

/** Inspects a store without creating or changing anything. */
export async function inspectPostgres(url: string): Promise<StoreInspection> {
  const loaded = await explainMissing(import('./postgres/inspect.js'));
  return await loaded.inspectPostgres(url);
}

/** Copies a store into an empty one, completely or not at all. */
export async function copyStore(
  from: StorePlace,
  to: StorePlace,
  onProgress?: (progress: CopyProgress) => void,
): Promise<CopyReport> {
  const loaded = await explainMissing(import('./copy/copy-store.js'));
  return await loaded.copyStore(from, to, onProgress);
}
