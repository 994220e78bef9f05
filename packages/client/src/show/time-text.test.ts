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

  it.each([
    [500, 'just now'],
    [3_000, '3 s ago'],
    [59_400, '59 s ago'],
    [60_000, '1 min ago'],
    [84_000, '1 min ago'],
    [119_000, '1 min ago'],
    [3_599_000, '59 min ago'],
    [5_400_000, '1 h ago'],
    [90_000_000, '25 h ago'],
    [172_800_000, '2 days ago'],
    [Number.NaN, ''],
  ])('formats what happened %d ms before as "%s"', (ms, words) => {
    const now = Date.parse('2026-01-03T00:00:00Z');
    expect(agoText(Number.isNaN(ms) ? 'no time' : new Date(now - ms).toISOString(), now)).toBe(words);
  });
});
