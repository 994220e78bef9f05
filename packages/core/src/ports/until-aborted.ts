import type { Clock } from './clock.js';

const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** An `AbortController` of ours: it tells those who wait by `onAbort` itself, since adding a listener costs more than a turn's promises. */
export function createStop(): { signal: AbortSignal; stop(reason: Error): void } {
  const controller = new AbortController();
  const { signal } = controller;
  const acts = new Set<() => void>();
  waiting.set(signal, acts);
  return {
    signal,
    stop(reason) {
      controller.abort(reason);
      for (const act of acts) act();
      acts.clear();
    },
  };
}

/** Calls `act` once, when the signal fires. The returned function ends it. */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const acts = waiting.get(signal);
  if (acts === undefined) {
    signal.addEventListener('abort', act, { once: true });
    return () => signal.removeEventListener('abort', act);
  }
  acts.add(act);
  return () => void acts.delete(act);
}

/**
 * A provider or tool that ignores its signal must not hold up a stop (M9): rejects as soon as the signal fires. Nothing is begun
 * once it has: nobody would wait for its end, and a failure that nobody waits for ends the process.
 */
export async function untilAborted<T>(begin: () => Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw new Error('stopped');
  let end = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    end = onAbort(signal, () => reject(new Error('stopped')));
  });
  try {
    return await Promise.race([begin(), aborted]);
  } finally {
    end();
  }
}

/** Rejects when the signal fires before the time is over. */
export async function pauseFor(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  let cancel = (): void => undefined;
  try {
    await untilAborted(
      () =>
        new Promise<void>((resolve) => {
          cancel = clock.after(ms, resolve);
        }),
      signal,
    );
  } finally {
    cancel();
  }
}

/** Rejects when the work takes longer. It goes on unheard: nobody can end a function. */
export async function withinTime<T>(
  clock: Clock,
  ms: number,
  begin: () => Promise<T>,
  late = `it took longer than ${ms / 1_000} seconds`,
): Promise<T> {
  let cancel = (): void => undefined;
  const over = new Promise<never>((_, reject) => {
    cancel = clock.after(ms, () => reject(new Error(late)));
  });
  try {
    return await Promise.race([begin(), over]);
  } finally {
    cancel();
  }
}
