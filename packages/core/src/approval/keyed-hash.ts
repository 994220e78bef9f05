import { createHmac, createSecretKey } from 'node:crypto';
import { createMemo } from '../masking/create-memo.js';

/** In characters of texts. */
const MOST_REMEMBERED = 1024 * 1024;
const hashers = new WeakMap<Uint8Array, (text: string) => string>();

/**
 * HMAC-SHA-256 of a text, in hexadecimal. Importing a raw key costs Node 24 seven times the hash itself, so each key is imported once;
 * a call is signed when it is shown, approved and started, so the latest hashes are remembered.
 */
export function keyedHash(key: Uint8Array, text: string): string {
  let hash = hashers.get(key);
  if (hash === undefined) {
    const imported = createSecretKey(key);
    hash = createMemo(MOST_REMEMBERED, (text) => createHmac('sha256', imported).update(text).digest('hex'));
    hashers.set(key, hash);
  }
  return hash(text);
}
