import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 32 random bytes: impossible to guess, so attempts need no rate limit. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Only the hash of a secret is stored: it can verify the secret but doesn't reveal it. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** Compares in constant time to prevent timing attacks. */
export function isSecret(given: string, hash: Buffer): boolean {
  return timingSafeEqual(hashSecret(given), hash);
}
