import type { Clock } from '../ports/index.js';

/** A clock that moves only when a test advances it. */
export interface FakeClock extends Clock {
  /** Advances the time and fires due timers in order. */
  advance(ms: number): void;
}

/** A clock for tests that stands still until you advance it. */
export function createFakeClock(start = Date.parse('2026-01-01T00:00:00Z')): FakeClock {
  let now = start;
  let timers: { at: number; fire: () => void }[] = [];
  return {
    now: () => now,
    after(ms, fire) {
      const timer = { at: now + ms, fire };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const due = timers.filter((timer) => timer.at <= end).toSorted((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        timers = timers.filter((timer) => timer !== due);
        now = Math.max(now, due.at);
        due.fire();
      }
      now = end;
    },
  };
}
