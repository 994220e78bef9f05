import { createECDH } from 'node:crypto';
import type { SecretBox } from '@countersign/core/ports';

/** The key pair with which the server identifies itself to push services (VAPID), in base64url. */
export interface PushKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** Follows from the secrets key, so that every process has the same pair and nothing else needs a backup. */
export function pushKeys(box: Pick<SecretBox, 'deriveKey'>): PushKeys {
  for (let attempt = 1; ; attempt += 1) {
    const pair = createECDH('prime256v1');
    const secret = box.deriveKey(`push identity ${attempt}`);
    try {
      pair.setPrivateKey(secret);
    } catch (error) {
      // One number in 2³² is no private key of this curve.
      if (attempt < 10) continue;
      throw error;
    }
    // Not `getPrivateKey`, which leaves out leading zeros: one key in 256 would be refused as too short.
    return { publicKey: pair.getPublicKey('base64url'), privateKey: secret.toString('base64url') };
  }
}
