import { describe, expect, it } from 'vitest';
import { lineDiff } from './line-diff.js';

describe('lineDiff', () => {
  it('shows the changed lines with context', () => {
    const before = 'a\nb\nc\nd\ne\nf\n';
    expect(lineDiff(before, before.replace('f', 'g'))).toEqual(['  d', '  e', '- f', '+ g']);
    expect(lineDiff(before, before.replace('c', 'c\nx'))).toEqual(['  b', '  c', '+ x', '  d', '  e', '  …']);
  });

  it('shows a new and a deleted file whole', () => {
    expect(lineDiff(undefined, 'a\nb\n')).toEqual(['+ a', '+ b']);
    expect(lineDiff('a\n', undefined)).toEqual(['- a']);
    expect(lineDiff('a\n', 'a\n')).toEqual([]);
  });
});
