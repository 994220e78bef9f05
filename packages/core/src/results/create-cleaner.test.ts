import { describe, expect, it } from 'vitest';
import { createCleaner } from './create-cleaner.js';
import { frameResult } from './frame-result.js';

const MEGABYTES = 5_000_000;
const limitBytes = 64 * 1024;
const token = 'cs_0123456789abcdefghij';

describe('a text of several megabytes', () => {
  it('[TURN13] keeps its start and end, and says how much was left out', () => {
    const text = `HEAD${'x'.repeat(MEGABYTES)}TAIL`;
    const framed = JSON.parse(frameResult({ ok: true, result: text }, { limitBytes, ownSecrets: [] })) as {
      result: string;
    };
    const [, head = '', count = '', tail = ''] =
      /^(HEADx+)\n\[(\d+) bytes were left out here\.\]\n(x+TAIL)$/.exec(framed.result) ?? [];
    expect(head.length + Number(count) + tail.length).toBe(text.length);
    expect(framed.result.length).toBeGreaterThan(limitBytes - 100);
  });

  it('[TURN14] is cleaned only near its start and end, even if there are many such texts', () => {
    const { clean } = createCleaner([], limitBytes);
    const kept = Array.from({ length: 1_000 }, () => clean('a+'.repeat(100_000)).length);
    expect(kept.reduce((sum, length) => sum + length, 0)).toBeLessThan(2_000_000);
  });

  // The truncation may split the secret anywhere, and neither part may be shown.
  it('[TURN14] shows no part of our own secret where it was truncated', () => {
    const shown = new Set<string>();
    for (let before = 0; before < token.length + 3; before += 1) {
      const { clean } = createCleaner([token], 64);
      // Half the length that is kept of the first text, in characters.
      const half = (16 * 1024) / 8;
      const sides = ['y'.repeat(half - before), 'y'.repeat(half + before - token.length)];
      shown.add(clean(`${sides[0]}${token}${'z'.repeat(MEGABYTES)}${token}${sides[1]}`).replaceAll(/[yz\s]/g, ''));
    }
    for (const text of shown) expect(text.replaceAll('‹masked›', '')).not.toMatch(/cs_|hij/);
  });
});
