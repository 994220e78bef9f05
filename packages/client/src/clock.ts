import type { Wakes } from './wakes.js';

/** Time is a port, so that tests can control it. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Calls back after a delay. The returned function cancels it. */
  after(ms: number, act: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after a delay, or earlier when the signal aborts or `wakes` fires. Never rejects. */
export async function pause(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  wakes: Wakes = () => () => undefined,
): Promise<void> {
  if (signal?.aborted === true) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      cancel();
      stopListening();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    const stopListening = wakes(end);
    signal?.addEventListener('abort', end, { once: true });
  });
}

const FIRST_PAUSE_MS = 250;
export const LONGEST_PAUSE_MS = 15_000;

/** Delay before the next attempt, with jitter: otherwise, all clients would reconnect to a restarted server at the same time. */
export function backOff(failures: number, random: () => number): number {
  const most = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10));
  return most / 2 + (most / 2) * random();
}
