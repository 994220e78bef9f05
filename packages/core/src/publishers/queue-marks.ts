import { CountersignError } from '@countersign/protocol';
import type { Store } from '../ports/index.js';

/** Finds changes of waiting calls whose hint was lost. Does nothing unless someone watches. */
export interface QueueMarks {
  /** Resolves once every later change will be found. The returned function stops. */
  hold(): Promise<() => void>;
  recheck(): void;
}

type Marks = ReadonlyMap<string, string>;

export function createQueueMarks(
  store: Pick<Store, 'read'>,
  changed: (worldId: string) => void,
  report: (error: unknown, what: string) => void,
): QueueMarks {
  let holders = 0;
  let known: Promise<Marks> | undefined;
  let isReading = false;

  async function read(): Promise<Marks> {
    const found = await store.read((reader) => reader.queueMarks());
    return new Map(found.map(({ worldId, mark }) => [worldId, mark]));
  }

  async function compare(before: Marks): Promise<void> {
    const now = await read();
    // Everyone may have stopped watching, and someone may have started again.
    if (known === undefined || (await known) !== before) return;
    known = Promise.resolve(now);
    for (const worldId of new Set([...before.keys(), ...now.keys()]))
      if (before.get(worldId) !== now.get(worldId)) changed(worldId);
  }

  return {
    async hold() {
      holders += 1;
      let held = true;
      const release = (): void => {
        if (!held) return;
        held = false;
        holders -= 1;
        if (holders === 0) known = undefined;
      };
      const reading = (known ??= read());
      try {
        await reading;
      } catch (error) {
        if (known === reading) known = undefined;
        release();
        throw error;
      }
      return release;
    },
    recheck() {
      if (known === undefined || isReading) return;
      isReading = true;
      known
        .then(compare)
        .catch((error: unknown) => {
          // Nobody waits for this read, so the process may close the store.
          if (error instanceof CountersignError && error.code === 'closed') return;
          report(error, 'failed to look for waiting calls from other processes');
        })
        .finally(() => (isReading = false));
    },
  };
}
