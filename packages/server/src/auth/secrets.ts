import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 32 random bytes: nobody guesses one, so nobody has to be slowed down for trying. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What is kept of a secret: enough to recognise it, useless to whoever reads it. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** In constant time: how long a refusal takes tells nothing of how much of a guess was right. */
export function isSecret(given: string, hash: Buffer): boolean {
  return timingSafeEqual(hashSecret(given), hash);
}
