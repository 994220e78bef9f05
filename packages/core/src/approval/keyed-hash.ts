import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

const keys = new WeakMap<Uint8Array, KeyObject>();

/** HMAC-SHA-256 of a text. Importing a raw key costs Node 24 seven times the hash itself, so each key is imported once. */
export function keyedHash(key: Uint8Array, text: string, encoding: 'hex' | 'base64url' = 'hex'): string {
  let imported = keys.get(key);
  if (imported === undefined) keys.set(key, (imported = createSecretKey(key)));
  return createHmac('sha256', imported).update(text).digest(encoding);
}
