import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromStored, toStored } from './text.js';

it('[CALL7] any text is read back unchanged, and is stored in a form that databases keep', () => {
  const text = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) });
  const awkward = fc.string({ unit: fc.constantFrom('\0', '\u001a', '0', 'a', '\ud83d', '\udf3b', '\ud800') });
  fc.assert(
    fc.property(fc.oneof(text, awkward), (original) => {
      const stored = toStored(original);
      expect(fromStored(stored)).toBe(original);
      expect(stored).not.toContain('\0');
      expect(Buffer.from(stored, 'utf8').toString('utf8')).toBe(stored);
    }),
  );
});

it('ordinary text is stored unchanged', () => {
  expect(toStored('Grüße, 漢字 \u{1f33b}\n')).toBe('Grüße, 漢字 \u{1f33b}\n');
});
