import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** An encryption key and its fingerprint, which distinguishes a wrong key from a damaged text. */
export interface SealingKey {
  readonly key: Buffer;
  readonly id: string;
}

export type Unsealed = { ok: true; value: string } | { ok: false; why: 'other-key' | 'damaged' };

const VERSION = 'v1';
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Derives the key for stored secrets from 32 secret bytes. */
export function sealingKey(secret: Uint8Array): SealingKey {
  const key = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), 'countersign provider keys v1', 32));
  return { key, id: createHmac('sha256', key).update('fingerprint').digest('hex').slice(0, 12) };
}

/** Another key for one purpose, from which the sealing key can't be computed. */
export function deriveKey({ key }: SealingKey, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `countersign ${purpose} v1`, 32));
}

/** Encrypts a text. It can be decrypted only with the same key for the same purpose. */
export function seal({ key, id }: SealingKey, value: string, purpose: readonly string[]): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(boundTo(id, purpose));
  const body = Buffer.concat([cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return [VERSION, id, nonce.toString('base64url'), body.toString('base64url')].join('.');
}

export function unseal({ key, id }: SealingKey, sealed: string, purpose: readonly string[]): Unsealed {
  const [version, keyId, nonce = '', text = '', ...more] = sealed.split('.');
  if (version !== VERSION || more.length > 0) return { ok: false, why: 'damaged' };
  if (keyId !== id) return { ok: false, why: 'other-key' };
  const body = Buffer.from(text, 'base64url');
  try {
    const decipher = createDecipheriv(CIPHER, key, Buffer.from(nonce, 'base64url'), { authTagLength: TAG_BYTES });
    decipher.setAAD(boundTo(id, purpose)).setAuthTag(body.subarray(-TAG_BYTES));
    const plain = Buffer.concat([decipher.update(body.subarray(0, -TAG_BYTES)), decipher.final()]);
    return { ok: true, value: plain.toString('utf8') };
  } catch {
    return { ok: false, why: 'damaged' };
  }
}

/** Binds a ciphertext to its purpose: otherwise, someone who can write to the database could move a secret to another provider, server or address. */
function boundTo(keyId: string, purpose: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify([VERSION, keyId, ...purpose]), 'utf8');
}
