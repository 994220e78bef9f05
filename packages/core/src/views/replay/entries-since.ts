import { setImmediate } from 'node:timers/promises';
import type { AuditEntry } from '@countersign/protocol';
import type { StoreReader } from '../../ports/index.js';
import type { Runtime } from '../../step/runtime.js';

/** A record can have half a megabyte. */
const PAGE = 100;

/** The records from a moment on, read in pages, and others run between two pages. */
export async function* entriesSince(
  runtime: Runtime,
  worldId: string,
  from: number,
  signal?: AbortSignal,
): AsyncGenerator<AuditEntry> {
  const after = await runtime.store.read((reader) => lastBefore(reader, worldId, from));
  yield* entriesAfter(runtime, worldId, after, signal);
}

export async function* entriesAfter(
  { store }: Runtime,
  worldId: string,
  from: number,
  signal?: AbortSignal,
): AsyncGenerator<AuditEntry> {
  for (let after = from; ;) {
    signal?.throwIfAborted();
    const page = await store.read((reader) => reader.audit(worldId, { after, limit: PAGE }));
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.seq;
    await setImmediate();
  }
}

/** A shared token stands for a person, too. */
export function isHuman(who: AuditEntry['who']): who is NonNullable<AuditEntry['who']> {
  return who?.kind === 'person' || who?.kind === 'token';
}

/** The number of the last record before a moment, by bisection: records are in the order of their times. */
async function lastBefore(
  reader: Pick<StoreReader, 'audit' | 'lastAudit'>,
  worldId: string,
  from: number,
): Promise<number> {
  const [newest] = await reader.lastAudit(worldId, { limit: 1 });
  let low = 0;
  let high = newest?.seq ?? 0;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [entry] = await reader.audit(worldId, { after: middle, limit: 1 });
    if (entry !== undefined && Date.parse(entry.at) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
