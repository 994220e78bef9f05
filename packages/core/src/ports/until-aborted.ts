import type { Clock } from './clock.js';

const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** An `AbortController` that calls `onAbort` callbacks itself, because adding an event listener costs more than all the promises in a turn. */
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

/** Calls `act` once, when the signal aborts. The returned function unsubscribes. */
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
 * Rejects as soon as the signal aborts: a provider or tool that ignores its signal must not block a stop (WORLD9). If it has already aborted, starts
 * nothing, because an unhandled rejection would end the process.
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

/** Rejects if the signal aborts before the time has passed. */
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

/** Rejects if the work takes longer than `ms`. The work itself continues, because a function can't be cancelled. */
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
