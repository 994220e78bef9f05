import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openOriginal, sealOriginal } from './seal-original.js';

const key = randomBytes(32);
const call = { worldId: 'harbour', id: 'call_1' };
const text = '{"password":"hunter2","note":"ü\\u202e"}';

describe('a sealed original', () => {
  it('[LOG2] opens with the store’s key, and only for its call', () => {
    const sealed = sealOriginal(key, call, text);
    expect(openOriginal(key, call, sealed)).toBe(text);
    expect(openOriginal(randomBytes(32), call, sealed)).toBeUndefined();
    expect(openOriginal(key, { ...call, id: 'call_2' }, sealed)).toBeUndefined();
    expect(openOriginal(key, { ...call, worldId: 'quay' }, sealed)).toBeUndefined();
  });

  it('[LOG2] does not open after any change', () => {
    const sealed = Buffer.from(sealOriginal(key, call, text), 'base64url');
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(openOriginal(key, call, changed.toString('base64url'))).toBeUndefined();
    }
    for (const broken of ['', 'AAAA', '!', sealed.subarray(1).toString('base64url')])
      expect(openOriginal(key, call, broken)).toBeUndefined();
  });

  it('[LOG2] differs each time and contains no part of the secret', () => {
    const one = sealOriginal(key, call, text);
    expect(one).not.toBe(sealOriginal(key, call, text));
    expect(Buffer.from(one, 'base64url').includes('hunter2')).toBe(false);
  });
});
