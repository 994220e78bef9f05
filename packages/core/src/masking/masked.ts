/** A value that is safe to show. `‹masked n: …›` in it represents `secrets[n - 1]`. Secrets never leave the server. */
export interface Masked<T> {
  value: T;
  secrets: string[];
}

export interface MaskOptions {
  /** Secrets found by an earlier masking pass. They keep their numbers, and are masked wherever they occur, even within a word. */
  alreadyKnown?: readonly string[];
}
