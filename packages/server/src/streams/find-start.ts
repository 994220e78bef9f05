import type { Engine } from '@countersign/core';

export interface StreamStart {
  /** Everything after this number is told. */
  position: number;
  /** The reader was where the log does not reach: it has to load anew, and hears what comes after that (S6). */
  isReset: boolean;
}

/** Where a stream goes on. */
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
    // Newer than all we have: it comes from another log, such as one that was restored since.
    if (wanted > last || Number.isNaN(wanted)) return { position: last, isReset: true };
    // From the very beginning means: all there is.
    const [first] = wanted === 0 ? [] : await reader.events(worldId, { after: 0, limit: 1 });
    const isOlder = first !== undefined && first.id > wanted + 1;
    return isOlder ? { position: last, isReset: true } : { position: wanted, isReset: false };
  });
}

/** A browser repeats whatever it was given; what we never gave is from somebody else. */
function numberOf(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
