import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyCharacter } from '../../../../tests/support/any-character.js';
import { exactJson } from './plain-text.js';

it('[SAFE6] JSON for a terminal hides nothing and parses to the same value', () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom('\u009B', '\u202E', '\u{E0041}', '\u2028', '\u00A0', '"', '\\'),
    ),
  });
  fc.assert(
    fc.property(fc.dictionary(text, text), (value) => {
      const shown = exactJson(JSON.stringify(value, null, 2));
      expect(JSON.parse(shown)).toEqual(value);
      expect(shown).not.toMatch(/[\x7F-\x9F\u2028\u2029\u00A0]|\p{Cf}/u);
    }),
  );
});
