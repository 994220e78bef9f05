import type { Clock } from '@countersign/core/ports';

/** The longest delay a timer takes; Node fires a longer one at once. */
const LONGEST_TIMER = 2_147_483_647;

/** Real time. Timers keep no process alive: an approval that may expire tomorrow is no reason not to exit today. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, fire) {
    const timer = setTimeout(fire, Math.min(Math.max(0, ms), LONGEST_TIMER));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
