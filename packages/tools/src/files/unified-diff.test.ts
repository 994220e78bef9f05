import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineDiff } from './line-diff.js';
import { matchName } from './match-name.js';
import { unifiedDiff } from './unified-diff.js';

describe('lineDiff', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });

  it('taking out and putting in leads from the one to the other', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = lineDiff(before, after);
        expect(diff.filter(({ sign }) => sign !== '+').map(({ text }) => text)).toEqual(before);
        expect(diff.filter(({ sign }) => sign !== '-').map(({ text }) => text)).toEqual(after);
      }),
    );
  });

  it('what two very long texts have at both ends is left alone, and the rest is bounded', () => {
    const before = ['same', ...Array.from({ length: 5_000 }, (_, index) => `old ${index}`), 'end'];
    const after = ['same', ...Array.from({ length: 5_000 }, (_, index) => `new ${index}`), 'end'];
    const diff = lineDiff(before, after);
    expect(diff).toHaveLength(10_002);
    expect([diff[0], diff.at(-1)]).toEqual([
      { sign: ' ', text: 'same' },
      { sign: ' ', text: 'end' },
    ]);
  });
});

describe('unifiedDiff', () => {
  it('shows changes that are far apart each with its surroundings', () => {
    const before = Array.from({ length: 20 }, (_, index) => `${index + 1}\n`).join('');
    expect(unifiedDiff('n', before, before.replace('2\n', 'two\n').replace('19\n', '')).text).toBe(
      '--- a/n\n+++ b/n\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -16,5 +16,4 @@\n 16\n 17\n 18\n-19\n 20',
    );
  });

  it('a missing line feed at the end is a difference', () => {
    expect(unifiedDiff('n', 'a', 'a\n').text).toBe(
      '--- a/n\n+++ b/n\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a',
    );
  });

  it('says when nothing changes, and when there is more than anybody reads', () => {
    expect(unifiedDiff('n', 'a', 'a').text).toContain('(nothing changes)');
    expect(unifiedDiff('n', undefined, '').text).toContain('(a new, empty file)');
    const many = unifiedDiff('n', '', 'x\n'.repeat(2_000));
    expect(many.text.split('\n').length).toBeLessThan(610);
    expect(many.truncated).toBe(true);
    expect(many.text).toMatch(/\[\d+ more lines of this change are not shown\.\]$/);
    const long = unifiedDiff('n', '', 'x'.repeat(5_000));
    expect(long.truncated).toBe(true);
    expect(long.text).toContain('x…\n[4000 more characters of this line are not shown.]\n');
    expect(unifiedDiff('n', '', 'x'.repeat(1_001)).truncated).toBe(true);
    expect(unifiedDiff('n', '', `${'x'.repeat(1_000)}\n`).truncated).toBe(false);
  });
});

describe('matchName', () => {
  it('a star is any run of characters', () => {
    expect([
      matchName('*.ts', 'a.ts'),
      matchName('*.ts', 'a.tsx'),
      matchName('*', ''),
      matchName('a*b*c', 'aXbXbc'),
    ]).toEqual([true, false, true, true]);
    expect([matchName('a*b*c', 'aXbXb'), matchName('', 'a'), matchName('[a].ts', 'a.ts')]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('never takes long', () => {
    expect(matchName(`${'*a'.repeat(90)}b`, 'a'.repeat(255))).toBe(false);
  });
});
