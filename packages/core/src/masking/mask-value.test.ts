import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../../../tests/support/scaled.js';
import { maskValue } from './mask-value.js';
import { reveal } from './reveal.js';

describe('maskValue', () => {
  it.each([
    'password',
    'passwd',
    'secret',
    'token',
    'api_key',
    'apiKey',
    'X-API-Key',
    'authorization',
    'Proxy-Authorization',
    'cookie',
    'Set-Cookie',
    'private_key',
    'client_secret',
    'clientSecret',
    'access_key',
    'aws_secret_access_key',
    'credentials',
    'DB_PASSWORD',
    'passphrase',
    'refresh_token',
  ])('[SAFE6] the whole value of %s is masked', (name) => {
    expect(maskValue({ [name]: 'a $(b); c' })).toEqual({
      value: { [name]: '‹masked 1: 9 characters›' },
      secrets: ['a $(b); c'],
    });
  });

  it('[SAFE6] values under similar names are shown', () => {
    const value = {
      max_tokens: 5,
      tokenizer: 'a',
      next_token: 'b',
      passwordless: 'c',
      key: 'd',
      author: 'e',
      secretary: 'f',
      pwd: '/x',
    };
    expect(maskValue(value)).toEqual({ value, secrets: [] });
  });

  it('[SAFE6] masks the leaves of an object under a secret name, and keeps its shape', () => {
    const value = {
      credentials: { user: 'bob', pin: 1234, on: true, none: null, empty: '', list: ['x', { deep: 'y' }] },
      after: 'z',
    };
    const masked = maskValue(value);
    expect(masked.value).toEqual({
      credentials: {
        user: '‹masked 1: 3 characters›',
        pin: '‹masked number 2: 4 characters›',
        on: true,
        none: null,
        empty: '',
        list: ['‹masked 3: 1 character›', { deep: '‹masked 4: 1 character›' }],
      },
      after: 'z',
    });
    expect(reveal(masked.value, masked.secrets)).toEqual({ ok: true, value });
  });

  it('[SAFE6] masks text in arrays and objects, numbered in document order', () => {
    expect(maskValue({ a: ['TOKEN=one'], b: { c: 'TOKEN=two TOKEN=one' } })).toEqual({
      value: {
        a: ['TOKEN=‹masked 1: 3 characters›'],
        b: { c: 'TOKEN=‹masked 2: 3 characters› TOKEN=‹masked 1: 3 characters›' },
      },
      secrets: ['one', 'two'],
    });
  });

  it('[SAFE6] an argument can announce the next one in its list', () => {
    expect(maskValue(['--password', 'two words', '--token', '-v', '-u', 'bob:pw', 'x']).value).toEqual([
      '--password',
      '‹masked 1: 3 characters› ‹masked 2: 5 characters›',
      '--token',
      '-v',
      '-u',
      'bob:‹masked 3: 2 characters›',
      'x',
    ]);
    expect(maskValue({ a: '--password', b: 'shown' }).value).toEqual({ a: '--password', b: 'shown' });
  });

  it('[SAFE6] masks keys too', () => {
    expect(maskValue({ 'a\u202E': 1, 'x=‹': 2 }).value).toEqual({ 'a‹U+202E›': 1, 'x=‹U+2039›': 2 });
  });

  it('[SAFE6] a key named __proto__ stays a key', () => {
    const masked = maskValue(JSON.parse('{"__proto__":{"x":"TOKEN=a"}}'));
    expect(JSON.stringify(masked.value)).toBe('{"__proto__":{"x":"TOKEN=‹masked 1: 1 character›"}}');
  });

  it('[SAFE6] JSON that nests a hundred thousand levels deep is masked and revealed', () => {
    let value: unknown = 'TOKEN=hunter2';
    for (let depth = 0; depth < 100_000; depth += 1) value = depth % 2 === 0 ? [value] : { a: value };
    const masked = maskValue(value);
    const revealed = reveal(masked.value, masked.secrets);
    let inner: unknown = revealed.ok ? revealed.value : undefined;
    while (typeof inner === 'object' && inner !== null) inner = Object.values(inner)[0];
    expect(inner).toBe('TOKEN=hunter2');
  });

  it('[SAFE6] no secret under a secret name is shown', () => {
    const secret = fc.string({ unit: fc.constantFrom('Q', 'X', 'Z', '7'), minLength: 12, maxLength: 20 });
    fc.assert(
      fc.property(
        secret,
        fc.jsonValue({ maxDepth: 3 }),
        fc.constantFrom('password', 'apiKey', 'Cookie'),
        (planted, beside, name) => {
          const masked = maskValue({ beside, [name]: { nested: [planted, { deeper: planted }] } });
          expect(JSON.stringify(masked.value)).not.toContain(planted.slice(3, -3));
        },
      ),
      { numRuns: scaled(200) },
    );
  });
});
