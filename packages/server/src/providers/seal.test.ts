import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { seal, sealingKey, unseal } from './seal.js';

const key = sealingKey(randomBytes(32));
const purpose = ['work', 'openai', 'https://api.openai.com'];
const VALUE = 'sk-Ab3dEf6hIj9kLmN0pQrStUvWx2z4';

it('[MODEL8.1] encrypts a key so that only the same secrets key decrypts it', () => {
  const sealed = seal(key, VALUE, purpose);
  expect(sealed).toMatch(/^v1\.[0-9a-f]{12}\.[\w-]{16}\.[\w-]+$/);
  expect(sealed).not.toContain(VALUE);
  expect(seal(key, VALUE, purpose)).not.toBe(sealed);
  expect(unseal(key, sealed, purpose)).toEqual({ ok: true, value: VALUE });
  expect(unseal(sealingKey(randomBytes(32)), sealed, purpose)).toEqual({ ok: false, why: 'other-key' });
});

it('[MODEL8.1] binds a key to its provider, kind and host: it can’t be moved in the database', () => {
  const sealed = seal(key, VALUE, purpose);
  for (const other of [
    ['other', 'openai', 'https://api.openai.com'],
    ['work', 'openai-compatible', 'https://api.openai.com'],
    ['work', 'openai', 'https://evil.example'],
    ['work,openai', 'https://api.openai.com'],
  ])
    expect(unseal(key, sealed, other)).toEqual({ ok: false, why: 'damaged' });
});

it('[MODEL8.1] detects every change', () => {
  const sealed = seal(key, VALUE, purpose);
  const parts = sealed.split('.');
  const flipped = (part: string): string => `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}`;
  for (const index of [2, 3]) {
    const damaged = parts.map((part, at) => (at === index ? flipped(part) : part)).join('.');
    expect(unseal(key, damaged, purpose)).toEqual({ ok: false, why: 'damaged' });
  }
  for (const damaged of ['', 'v2.x.y.z', sealed.slice(0, -30), `${parts.slice(0, 3).join('.')}.`, `${sealed}.more`])
    expect(unseal(key, damaged, purpose).ok).toBe(false);
});
