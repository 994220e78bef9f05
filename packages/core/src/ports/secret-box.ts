export type Unsealed = { ok: true; value: string } | { ok: false; problem: string };

/** Encrypts secrets for the store with a key that is not in the store (MODEL8.2). */
export interface SecretBox {
  /** Encrypts a value so that it can be decrypted only for the same purpose. Throws a user-facing error if the key can't be used. */
  seal(value: string, purpose: readonly string[]): string;
  /** A key for one purpose, derived from the same secret. Throws like `seal`. */
  deriveKey(purpose: string): Buffer;
  /** Never throws. `problem` completes a sentence: "its values …". */
  unseal(sealed: string, purpose: readonly string[]): Unsealed;
}
