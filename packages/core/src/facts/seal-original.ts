import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { CallRecord } from '../ports/index.js';

/** The call that a sealed text belongs to. Part of the authenticated data, so that the text can't be moved to another record. */
type About = Pick<CallRecord, 'worldId' | 'id'>;

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Cached per store, so that calls don't pay for key derivation. */
const keys = new WeakMap<Uint8Array, KeyObject>();

function keyOf(hashKey: Uint8Array): KeyObject {
  const known = keys.get(hashKey);
  if (known !== undefined) return known;
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', hashKey, '', 'countersign.original.1', 32)));
  keys.set(hashKey, key);
  return key;
}

/** Encrypts a call's arguments, or what the gate judged, with the store's key for its audit record (LOG1), using AES-256-GCM. */
export function sealOriginal(hashKey: Uint8Array, about: About, text: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(hashKey), iv).setAAD(aadOf(about));
  const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return sealed.toString('base64url');
}

/** Undefined if `sealed` was created with another key or for another call, or was tampered with. */
export function openOriginal(hashKey: Uint8Array, about: About, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyOf(hashKey), bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(aadOf(about)).setAuthTag(bytes.subarray(-TAG_BYTES));
    return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

function aadOf({ worldId, id }: About): Buffer {
  return Buffer.from(JSON.stringify([worldId, id]));
}
