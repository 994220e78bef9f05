import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyCharacter } from '../../../../tests/support/any-character.js';
import { createHintSeal, HINT_LIMIT_BYTES } from './seal-hints.js';

const key = randomBytes(32);
const seal = (at = 0) => createHintSeal(key, () => at);

it('[STORE7.1] a hint can be decrypted unchanged, from any number of senders', () => {
  const receiver = seal();
  const senders = [seal(), seal()];
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.nat(1), (text, index) => {
      const sealed = senders[index]?.seal(text) ?? '';
      expect(receiver.open(sealed)).toBe(Buffer.from(text, 'utf8').toString('utf8'));
    }),
  );
});

it('[STORE7.1] a sealed hint is unreadable', () => {
  const sealed = Buffer.from(seal().seal('the harbour is closed'), 'base64').toString('latin1');
  expect(sealed).not.toContain('harbour');
});

it('[STORE7.1] the longest hint fits into a notification', () => {
  expect(seal().seal('x'.repeat(HINT_LIMIT_BYTES)).length).toBeLessThan(8_000);
});

it('[STORE7.1] rejects a hint that was changed, replayed, late, or sealed with another key', () => {
  const sealed = seal().seal('{"kind":"abort"}');
  const bytes = Buffer.from(sealed, 'base64');
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(seal().open(changed.toString('base64'))).toBeUndefined();
  }
  const receiver = seal();
  expect(receiver.open(sealed)).toBe('{"kind":"abort"}');
  expect(receiver.open(sealed)).toBeUndefined();
  expect(seal(300_001).open(sealed)).toBeUndefined();
  expect(createHintSeal(randomBytes(32), () => 0).open(sealed)).toBeUndefined();
});

it('[STORE7.1] rejects garbage without failing', () => {
  const receiver = seal();
  const sender = seal();
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String({ minLength: 80 }), fc.json()), (garbage) => {
      expect(receiver.open(garbage)).toBeUndefined();
      expect(receiver.open(sender.seal('real'))).toBe('real');
    }),
  );
});
