import { describe, expect, it } from 'vitest';
import { agoText, durationText } from './time-text.js';

describe('durations', () => {
  it.each([
    [90, '0.1 s'],
    [12_400, '12 s'],
    [240_000, '4 min'],
    [7_200_000, '2 h'],
    [-5, '0.0 s'],
    [864_000_000, '10 days'],
  ])('formats %d ms as %s', (ms, words) => {
    expect(durationText(ms)).toBe(words);
  });

  it('formats how long ago something was', () => {
    const now = Date.parse('2026-01-01T00:01:00Z');
    expect(agoText('2026-01-01T00:00:59.500Z', now)).toBe('just now');
    expect(agoText('2026-01-01T00:00:57Z', now)).toBe('3 s ago');
    expect(agoText('2026-01-01T00:00:00Z', now)).toBe('60 s ago');
    expect(agoText('no time', now)).toBe('');
  });
});
