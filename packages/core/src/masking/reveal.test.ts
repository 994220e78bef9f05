import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../tests/support/any-character.js';
import { maskValue } from './mask-value.js';
import { reveal } from './reveal.js';

describe('reveal', () => {
  it('[SAFE6] replaces a placeholder in edited arguments with its value', () => {
    const edited = { command: 'psql --password=‹masked 1: 7 characters› -c "a‹U+200B›b"‹12 spaces›', n: 3 };
    expect(reveal(edited, ['hunter2'])).toEqual({
      ok: true,
      value: { command: `psql --password=hunter2 -c "a\u200Bb"${' '.repeat(12)}`, n: 3 },
    });
  });

  it.each([
    '‹masked 1›',
    '‹masked 1: 6 characters›',
    '‹masked 2: 7 characters›',
    '‹9 characters not shown›',
    '‹masked 0: 7 characters›',
    '‹masked 01: 7 characters›',
    '‹masked -1: 7 characters›',
    '‹masked›',
    '‹masked 1: 7 characters',
    '‹masked number 1: 7 characters›',
    'x‹masked number 1: 7 characters›',
    '‹U+110000›',
    '‹U+20›',
    '‹U+202e›',
    '‹0 spaces›',
    '‹5 blanks›',
    '‹9 U+0041›',
    '‹›',
    '‹',
    '‹‹masked 1: 7 characters››',
    '‹999999999 spaces›',
  ])('[SAFE6] rejects the unknown placeholder %s', (placeholder) => {
    const refused = reveal({ list: ['fine', placeholder] }, ['hunter2']);
    expect(refused.ok).toBe(false);
    expect(refused).toHaveProperty('unknown', expect.stringContaining('‹'));
    expect(reveal({ [placeholder]: 1 }, ['hunter2']).ok).toBe(false);
  });

  it('[SAFE6] many placeholders can’t exhaust memory', () => {
    expect(reveal('‹9999999 spaces›'.repeat(10_000), []).ok).toBe(false);
  });

  it('[SAFE6] a secret is inserted literally, whatever it contains', () => {
    expect(reveal('‹masked 1: 14 characters›', ["‹masked 2›$&$'"])).toEqual({ ok: true, value: "‹masked 2›$&$'" });
  });

  it('[SAFE6] restores the original from the display form', () => {
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 }).map((units) => String.fromCharCode(...units)),
      fc
        .array(
          fc.constantFrom(
            ...[
              'password=',
              '--token ',
              'Bearer ',
              '"token": "',
              '://bob:',
              '@h',
              "'",
              '"',
              '\\',
              ' ',
              '\n',
              '$',
              ';',
              '‹',
              '›',
              'masked 1',
            ],
            ...[
              'a1B2',
              '\uD83D',
              '\uDE00',
              '\u200B',
              '          ',
              '\n\n\n\n\n\n',
              '-----BEGIN PRIVATE KEY-----\n',
              'QUJD'.repeat(16),
            ],
          ),
          { maxLength: 16 },
        )
        .map((fragments) => fragments.join('')),
    );
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constantFrom(null, true, false, '', 0, -0),
        fc.array(tie('json'), { maxLength: 4 }),
        fc.dictionary(fc.oneof(text, fc.constantFrom('password', 'token', 'Authorization', '__proto__')), tie('json'), {
          maxKeys: 4,
        }),
      ),
    }));
    fc.assert(
      fc.property(json, (value) => {
        const masked = maskValue(value);
        expect(reveal(masked.value, masked.secrets)).toEqual({ ok: true, value: withoutPrototypes(value) });
      }),
      { numRuns: 500 },
    );
  });
});

/** fast-check creates some objects without a prototype, but only the JSON is compared here. */
function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutPrototypes(member)]));
}
