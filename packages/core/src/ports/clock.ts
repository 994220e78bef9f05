/** Time as a port, so that tests move it by hand and never sleep. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `fire` once, `ms` from now. The returned function cancels it. */
  after(ms: number, fire: () => void): () => void;
}
