import type { Engine } from '@countersign/core';

export interface StreamStart {
  /** The reader gets everything after this number. */
  position: number;
  /** Set if the requested number is not in the log: the reader must reload, then gets later events (STORE6). */
  isReset: boolean;
}

/** Where a stream resumes. */
export async function findStart(
  { runtime }: Engine,
  worldId: string,
  lastEventId: string | undefined,
  after: number | undefined,
): Promise<StreamStart> {
  const wanted = lastEventId === undefined ? after : numberOf(lastEventId);
  return await runtime.store.read(async (reader) => {
    const last = await reader.lastEventId(worldId);
    if (wanted === undefined) return { position: last, isReset: false };
    // Newer than our log, so the number is from a different log, for example from before a restore.
    if (wanted > last || Number.isNaN(wanted)) return { position: last, isReset: true };
    // 0 means everything, even if the log no longer starts at 1.
    const [first] = wanted === 0 ? [] : await reader.events(worldId, { after: 0, limit: 1 });
    const isOlder = first !== undefined && first.id > wanted + 1;
    return isOlder ? { position: last, isReset: true } : { position: wanted, isReset: false };
  });
}

/** Browsers send back an id that we sent. Anything else is not one of our ids. */
function numberOf(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
