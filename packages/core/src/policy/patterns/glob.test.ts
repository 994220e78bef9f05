import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../../../../tests/support/scaled.js';
import { matchesGlob, toolGlob } from './glob.js';
import { MANY, matchesSequence } from './match-sequence.js';

const letters = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b'), maxLength });

describe('matchesGlob', () => {
  it('matches what the equivalent regular expression matches', () => {
    fc.assert(
      fc.property(fc.array(letters(2), { minLength: 1, maxLength: 5 }), letters(8), (parts, text) => {
        expect(matchesGlob(parts, text)).toBe(new RegExp(`^${parts.join('.*')}$`).test(text));
      }),
      { numRuns: scaled(2000) },
    );
  });

  it('does not match if the prefix and suffix overlap', () => {
    expect(matchesGlob(toolGlob('ab*ba'), 'aba')).toBe(false);
    expect(matchesGlob(toolGlob('ab*ba'), 'abba')).toBe(true);
  });
});

describe('matchesSequence', () => {
  it('matches what the equivalent regular expression matches', () => {
    const element = fc.constantFrom('a', 'b', '.', MANY);
    fc.assert(
      fc.property(fc.array(element, { maxLength: 7 }), letters(9), (elements, text) => {
        const pattern = elements.map((part) => (part === MANY ? '.*' : part)).join('');
        const parts = elements.map((part) => (part === MANY ? MANY : { part }));
        const matched = matchesSequence(parts, text.split(''), ({ part }, item) => part === '.' || part === item);
        expect(matched).toBe(new RegExp(`^${pattern}$`).test(text));
      }),
      { numRuns: scaled(3000) },
    );
  });
});
