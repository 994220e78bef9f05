import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sampled, scaled } from '../../../../tests/support/scaled.js';
import { createChunkMasker } from './create-chunk-masker.js';
import { maskedInSlices, maskSlices, needsSlices } from './mask-slices.js';
import { maskSecrets } from './mask-secrets.js';

const SLICE = 16 * 1024;
const secret = ['ghp_', '0123456789abcdefghijABCDEFGHIJ012345'].join('');

it('[SAFE6] a secret is found even if it spans slices', () => {
  const places = Array.from({ length: secret.length + 5 }, (_, at) => at - secret.length - 2);
  // Each text has four slice boundaries, with the secret at a different offset from each.
  const groups = Array.from({ length: Math.ceil(places.length / 4) }, (_, at) => places.slice(at * 4, at * 4 + 4));
  for (const some of sampled(groups, 4)) {
    const start = some.reduce((text, place, at) => `${text.padEnd((at + 1) * SLICE + place - 1, 'a ')} ${secret} `, '');
    const text = start.padEnd(5 * SLICE, 'b ');
    expect(some.map((place, at) => text.indexOf(secret, (at + 1) * SLICE + place) - (at + 1) * SLICE)).toEqual(some);
    for (const _ of maskSlices(text));
    expect(maskedInSlices(text)).not.toContain(secret.slice(4, 12));
    expect(maskSecrets(text)).toBe(maskedInSlices(text));
  }
});

it('[SAFE6] the masked slices add up to the masked text', () => {
  const word = fc.constantFrom(
    'a+',
    'password=hunter2 ',
    `${secret}\n`,
    '\u{1F600}',
    'https://u:p@host/ ',
    "'",
    '\\',
    'x',
  );
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), (words) => {
      const unit = words.join('');
      const text = unit.repeat(Math.ceil((5 * SLICE) / unit.length));
      const whole = createChunkMasker({ form: 'chat' });
      for (const _ of maskSlices(text));
      const shown =
        text
          .match(/[^]{1,60000}/g)
          ?.map((part) => whole.push(part))
          .join('') ?? '';
      expect(maskedInSlices(text)).toBe(shown + whole.end());
    }),
    { numRuns: scaled(30, 2) },
  );
});

it('[SAFE6] only texts past the scan limit need slices', () => {
  expect(needsSlices('a '.repeat(1_000))).toBe(false);
  const long = `c ${'d '.repeat(50_000)}`;
  expect(needsSlices(long)).toBe(true);
  for (const _ of maskSlices(long));
  expect(needsSlices(long)).toBe(false);
});
