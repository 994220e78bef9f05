/** A value that is safe to show. `‹masked n: …›` in it stands for `secrets[n - 1]`. Secrets never leave the server. */
export interface Masked<T> {
  value: T;
  secrets: string[];
}

export interface MaskOptions {
  /** Secrets of an earlier mask. They keep their numbers, and are masked wherever they occur in a word. */
  alreadyKnown?: readonly string[];
}
