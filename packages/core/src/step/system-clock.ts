import type { Clock } from '../ports/index.js';

/** The longest timer delay; Node fires longer ones immediately. */
const LONGEST_TIMER = 2_147_483_647;

/** Real time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, fire, options) {
    const timer = setTimeout(fire, Math.min(Math.max(0, ms), LONGEST_TIMER));
    if (options?.background === true) timer.unref();
    return () => clearTimeout(timer);
  },
};
