import type { Clock } from '../ports/index.js';

/** Does one piece of work over and over, with a pause after each time. */
export interface Repeater {
  every(ms: number, work: () => Promise<void>, onFailure: string): void;
  /** Resolves when the work that is under way has ended; it does not begin again. */
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
