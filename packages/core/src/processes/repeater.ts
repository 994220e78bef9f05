import type { Clock } from '../ports/index.js';

/** Repeats a task with a pause after each run. */
export interface Repeater {
  every(ms: number, work: () => Promise<void>, onFailure: string): void;
  /** Stops repeating, and resolves when the current run has finished. */
  end(): Promise<void>;
}

export function createRepeater(clock: Clock, report: (error: unknown, what: string) => void): Repeater {
  let cancel = (): void => undefined;
  let running: Promise<void> = Promise.resolve();
  let ended = false;

  function every(ms: number, work: () => Promise<void>, onFailure: string): void {
    if (ended) return;
    const run = (): void => {
      running = work()
        .catch((error: unknown) => report(error, onFailure))
        .finally(() => every(ms, work, onFailure));
    };
    cancel = clock.after(ms, run, { background: true });
  }

  return {
    every,
    async end() {
      ended = true;
      cancel();
      await running;
    },
  };
}
