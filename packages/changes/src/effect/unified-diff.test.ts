import { applyPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeBlocks, unifiedDiff } from './unified-diff.js';

describe('unifiedDiff', () => {
  it('a name never adds lines to the diff', () => {
    const { text } = unifiedDiff('x\n@@ -1 +1 @@\n-a\u2028b', undefined, 'real\n');
    expect(text.split('\n')).toEqual([
      '--- /dev/null',
      '+++ b/x\\u{a}@@ -1 +1 @@\\u{a}-a\\u{2028}b',
      '@@ -0,0 +1 @@',
      '+real',
    ]);
  });

  it('returns a patch from one text to the other', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', '', '\r', '-', '+', '@@ -1 +1 @@', '\\ No newline at end of file'), {
        maxLength: 30,
      })
      .map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { text: diff, truncated } = unifiedDiff('n', before, after);
        expect(truncated).toBe(false);
        const patched = before === after ? after : applyPatch(before, `${diff}\n`, { autoConvertLineEndings: false });
        expect(patched).toBe(after);
      }),
    );
  });

  it('shows only the two changed lines of a long file as changed', () => {
    const lines = Array.from({ length: 2_100 }, (_, index) => `line ${index}`);
    const changed = lines.with(10, 'one').with(2_090, 'two');
    const { text, truncated } = unifiedDiff('n', lines.join('\n'), changed.join('\n'));
    expect(truncated).toBe(false);
    const signed = text.split('\n').filter((line) => /^[-+](?![-+])/.test(line));
    expect(signed).toEqual(['-line 10', '+one', '-line 2090', '+two']);
  });

  it('[CALL15] compares files of 20,000 lines completely, however much changes', () => {
    const lines = (change: (index: number) => string): string =>
      Array.from({ length: 20_000 }, (_, index) => `${change(index)}\n`).join('');
    const before = lines((index) => (index % 5 === 0 ? '}' : `line ${index}`));
    const some = lines((index) => (index % 7 === 0 ? `new ${index}` : index % 5 === 0 ? '}' : `line ${index}`));
    const found = unifiedDiff('n', before, some);
    expect([found.truncated, found.lines]).toEqual([false, { added: 2_858, removed: 2_858 }]);
    expect(applyPatch(before, `${found.text}\n`)).toBe(some);
    const all = unifiedDiff(
      'n',
      before,
      lines((index) => `other ${index}`),
    );
    expect(all.lines).toEqual({ added: 20_000, removed: 20_000 });
  });

  it('[CALL15] of longer files, says what is replaced and counts as truncated', () => {
    const many = (word: string, length: number): string => `${word}\n`.repeat(length);
    expect(unifiedDiff('n', many('old', 20_001), many('new', 3))).toEqual({
      text: '--- a/n\n+++ b/n\n(too long to compare: 20001 lines are replaced with 3 lines)',
      truncated: true,
      lines: { added: 3, removed: 20_001 },
    });
  });

  it('shows distant changes as separate hunks with context', () => {
    const before = Array.from({ length: 20 }, (_, index) => `${index + 1}\n`).join('');
    expect(unifiedDiff('n', before, before.replace('2\n', 'two\n').replace('19\n', '')).text).toBe(
      '--- a/n\n+++ b/n\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -16,5 +16,4 @@\n 16\n 17\n 18\n-19\n 20',
    );
  });

  it('[RUN33] takes some blocks of a diff, numbered as it shows them', () => {
    const before = Array.from({ length: 40 }, (_, index) => `${index}\n`).join('');
    const edits = [
      ['\n3\n', '\nthree\n'],
      ['\n20\n', '\n'],
      ['\n39\n', '\n39\nmore'],
    ];
    const apply = (numbers: readonly number[]): string =>
      numbers.reduce((text, number) => {
        const [from = '', to = ''] = edits[number - 1] ?? [];
        return text.replace(from, to);
      }, before);
    const after = apply([1, 2, 3]);
    expect(unifiedDiff('n', before, after).text.match(/^@@/gm)).toHaveLength(3);
    for (const numbers of [[], [1], [2], [3], [1, 3], [1, 2, 3]])
      expect(takeBlocks(before, after, new Set(numbers))).toBe(apply(numbers));
    expect(takeBlocks(before, after, new Set([4]))).toBeUndefined();
  });

  it('treats a missing final newline as a difference', () => {
    expect(unifiedDiff('n', 'a', 'a\n').text).toBe(
      '--- a/n\n+++ b/n\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a',
    );
  });

  it('says that nothing changes, and that a long diff is truncated', () => {
    expect(unifiedDiff('n', 'a', 'a').text).toContain('(the file already has this text)');
    expect(unifiedDiff('n', undefined, '').text).toContain('(a new, empty file)');
    const many = unifiedDiff('n', '', 'x\n'.repeat(2_000), 600);
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
