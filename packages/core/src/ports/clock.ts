/** Time as a port, so that tests control it and never sleep. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Calls `fire` once after `ms`. The returned function cancels it. `background`: the timer doesn't keep the process alive, for example for an
   * approval that expires tomorrow.
   */
  after(ms: number, fire: () => void, options?: { background?: boolean }): () => void;
}

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
