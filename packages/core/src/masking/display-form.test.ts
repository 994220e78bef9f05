import { HIDDEN_IN_CODE, PLACEHOLDER } from '@countersign/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyCharacter } from '../../../../tests/support/any-character.js';
import { displayText } from './display-form.js';

it('[SAFE6] writes every placeholder in the shared format, and leaves no invisible characters except the spaces of some scripts', () => {
  const odd = fc.constantFrom(
    '\u202E',
    '\u200B',
    '\u2800',
    '‹',
    '›',
    '\u00A0'.repeat(9),
    ' '.repeat(40),
    '\n'.repeat(6),
  );
  const text = fc.array(fc.oneof(odd, fc.string({ unit: anyCharacter, maxLength: 5 })), { maxLength: 8 });
  const placeholder = new RegExp(PLACEHOLDER, 'gu');
  const hidden = new RegExp(`(?![\\u00A0\\u202F\\u3000])(?:${HIDDEN_IN_CODE})`, 'u');
  fc.assert(
    fc.property(text, (parts) => {
      const shown = displayText(parts.join(''));
      expect(shown.replaceAll(placeholder, '')).not.toContain('‹');
      expect(hidden.test(shown)).toBe(false);
    }),
  );
});
