/** Time as a port, so that tests move it by hand and never sleep. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Calls `fire` once, `ms` from now. The returned function cancels it. `background`: no reason to keep a process alive, such as
   * an approval that may expire tomorrow.
   */
  after(ms: number, fire: () => void, options?: { background?: boolean }): () => void;
}
