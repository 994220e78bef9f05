import type { Clock } from '@countersign/core/ports';

/** Work that is asked for by a key, such as a world: for each key, one at a time, and once more if it was asked for meanwhile. */
export interface KeyedWork {
  readonly soon: (key: string) => void;
  /** Replaces a later time for this key. */
  readonly later: (key: string, ms: number) => void;
  /** Other work of the same kind, such as looking at all keys. */
  readonly inBackground: (work: Promise<void>) => void;
  /** Does it again and again, each time this long after the last one ended. */
  repeat(ms: number, look: () => Promise<void>): void;
  /** Aborted when it closes. */
  readonly signal: AbortSignal;
  close(): void;
}

export function createKeyedWork(
  work: (key: string) => Promise<void>,
  { clock, failed }: { clock: Clock; failed: (error: unknown) => void },
): KeyedWork {
  /** The keys that are being worked on, and whether they were asked for again. */
  const working = new Map<string, { again: boolean }>();
  const timers = new Map<string, { at: number; cancel: () => void }>();
  const closing = new AbortController();
  let cancelRepeat = (): void => undefined;

  async function workOn(key: string, state: { again: boolean }): Promise<void> {
    try {
      do {
        state.again = false;
        await work(key);
      } while (state.again && !closing.signal.aborted);
    } finally {
      working.delete(key);
    }
  }

  function inBackground(promise: Promise<void>): void {
    promise.catch((error: unknown) => {
      if (!closing.signal.aborted) failed(error);
    });
  }

  function soon(key: string): void {
    if (closing.signal.aborted) return;
    const current = working.get(key);
    if (current !== undefined) return void (current.again = true);
    const state = { again: false };
    working.set(key, state);
    inBackground(workOn(key, state));
  }

  function repeat(ms: number, look: () => Promise<void>): void {
    if (closing.signal.aborted) return;
    const again = (): void => inBackground(look().finally(() => repeat(ms, look)));
    cancelRepeat = clock.after(ms, again, { background: true });
  }

  return {
    soon,
    repeat,
    later(key, ms) {
      const at = clock.now() + ms;
      const before = timers.get(key);
      if (closing.signal.aborted || (before !== undefined && before.at <= at)) return;
      before?.cancel();
      const fire = (): void => {
        timers.delete(key);
        soon(key);
      };
      timers.set(key, { at, cancel: clock.after(ms, fire, { background: true }) });
    },
    inBackground,
    signal: closing.signal,
    close() {
      closing.abort();
      cancelRepeat();
      for (const { cancel } of timers.values()) cancel();
    },
  };
}
