/** Something fit to be shown. `‹masked n: …›` in it stands for `secrets[n - 1]`. The secrets never leave the server. */
export interface Masked<T> {
  value: T;
  secrets: string[];
}

export interface MaskOptions {
  /** Secrets of an earlier mask: they keep their numbers, and wherever one appears as part of a word it is masked too. */
  alreadyKnown?: readonly string[];
}
