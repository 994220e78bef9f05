import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import webPush from 'web-push';
import { pushKeys } from './push-keys.js';

const NO_KEYS = { p256dh: '', auth: '' };

it('[PUSH1.3] makes the same keys from the same secret, which push services accept', () => {
  const keysOf = (seed: number) =>
    pushKeys({ deriveKey: (purpose) => createHash('sha256').update(`${seed} ${purpose}`).digest() });
  expect(keysOf(1)).toEqual(keysOf(1));
  expect(keysOf(1)).not.toEqual(keysOf(2));
  // Some of them begin with a zero.
  for (let seed = 0; seed < 600; seed += 1) {
    const { publicKey, privateKey } = keysOf(seed);
    const options = { vapidDetails: { subject: 'https://countersign.example', publicKey, privateKey } };
    const { headers } = webPush.generateRequestDetails(
      { endpoint: 'https://push.example/x', keys: NO_KEYS },
      null,
      options,
    );
    expect(headers['Authorization']).toContain(publicKey);
  }
});
