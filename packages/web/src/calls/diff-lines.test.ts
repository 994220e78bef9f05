import { describe, expect, it } from 'vitest';
import { diffLines, replaceLines } from './diff-lines.js';

describe('a diff', () => {
  it('is read line by line', () => {
    const diff = '--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n\\ No newline at end of file\n';
    expect(diffLines(diff).map(({ kind, text }) => `${kind}:${text}`)).toEqual([
      'place:@@ -1,2 +1,2 @@',
      'same:same',
      'removed:old',
      'added:new',
      'note:\\ No newline at end of file',
    ]);
  });

  it('keeps a line that looks like a header inside the text', () => {
    expect(diffLines('@@ -1 +1 @@\n--- not a header')).toContainEqual({ kind: 'removed', text: '-- not a header' });
  });

  it('shows what is not a diff as it is', () => {
    expect(diffLines('makes 3 folders')).toEqual([{ kind: 'same', text: 'makes 3 folders' }]);
    expect(replaceLines('', 'a\nb\n')).toEqual([
      { kind: 'added', text: 'a' },
      { kind: 'added', text: 'b' },
    ]);
  });
});
