/** Time as a port, so that tests control it and never sleep. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Calls `fire` once after `ms`. The returned function cancels it. `background`: the timer doesn't keep the process alive, such as
   * for an approval that expires tomorrow.
   */
  after(ms: number, fire: () => void, options?: { background?: boolean }): () => void;
}
