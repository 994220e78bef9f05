import { describe, expect, it } from 'vitest';
import { readNumber } from './read-number.js';

describe('a number in a field', () => {
  it('is parsed if it is a number', () => {
    expect(['30', ' 0.5 ', '0', '007'].map((text) => readNumber(text))).toEqual([30, 0.5, 0, 7]);
    expect(readNumber('12', 'whole')).toBe(12);
  });

  it('is not guessed from other text', () => {
    for (const text of ['30s', '0,7', 'abc', '1e3', '-1', '0x10', '1.', '.5', 'Infinity', '1 000', '٣'])
      expect(readNumber(text)).toBe('not-a-number');
    expect(readNumber('1.5', 'whole')).toBe('not-a-number');
  });

  it('is absent if the field is empty', () => {
    expect(readNumber('  ')).toBe('empty');
  });
});
