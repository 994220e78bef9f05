import { describe, expect, it } from 'vitest';
import { editsOf } from './edits-of.js';

/** What a call writes to a file with this text, or why that is unknown. */
function written(tool: string, args: object, before?: string): unknown {
  const edits = editsOf(tool, args);
  if (edits === undefined || edits === 'unclear') return edits;
  const found = edits.map(({ path, apply }) => [path, apply(before)] as const);
  return found.map(([path, after]) => [path, 'why' in after ? { why: after.why } : after.text]);
}
const one = (tool: string, args: object, before?: string): unknown => {
  const found = written(tool, args, before);
  return Array.isArray(found) ? (found[0] as unknown[])[1] : found;
};

const edit = (old_string: string, new_string: string, more: object = {}) => ({
  file_path: '/a',
  old_string,
  new_string,
  ...more,
});

describe('[CHANGE9.6] what an edit of a program writes', () => {
  it.each([
    ['replaces the one passage', edit('b', 'x'), 'a\nb\n', 'a\nx\n'],
    ['takes $ and \\ literally', edit('b', '$& $1 \\n'), 'a\nb\n', 'a\n$& $1 \\n\n'],
    ['replaces all', edit('a', 'x', { replace_all: true }), 'aba', 'xbx'],
    ['removes the line break with a line', edit('b', ''), 'a\nb\nc\n', 'a\nc\n'],
    ['keeps CRLF', edit('a\nb', 'a\nx'), 'a\r\nb\r\n', 'a\r\nx\r\n'],
    ['creates a file', edit('', 'new\n'), undefined, 'new\n'],
    ['fills an empty file', edit('', 'new\n'), '', 'new\n'],
  ])('Claude Code %s', (_, args, before, after) => {
    expect(one('Edit', args, before)).toBe(after);
  });

  it.each([
    ['no-file', edit('a', 'b'), undefined],
    ['no-match', edit('x', 'b'), 'a'],
    ['several-matches', edit('a', 'b'), 'a a'],
    ['does-not-apply', edit('', 'b'), 'a'],
    ['does-not-apply', edit('a', 'a'), 'a'],
  ])('[CHANGE9.8] says %s if the arguments don’t apply', (why, args, before) => {
    expect(one('Edit', args, before)).toEqual({ why });
  });

  it('Claude Code makes several edits one after the other, or none', () => {
    const args = (...edits: [string, string][]) => ({
      file_path: '/a',
      edits: edits.map(([old_string, new_string]) => ({ old_string, new_string })),
    });
    expect(one('MultiEdit', args(['a', 'b'], ['b\nb', 'c']), 'a\nb')).toBe('c');
    expect(one('MultiEdit', args(['a', 'b'], ['x', 'c']), 'a\nb')).toEqual({ why: 'no-match' });
    expect(one('MultiEdit', { file_path: '/a', edits: [] }, 'a')).toBe('unclear');
  });

  it('Gemini CLI keeps the end of the file and how its lines end', () => {
    expect(one('replace', edit('b\n', 'x', { instruction: 'change b' }), 'a\nb\n')).toBe('a\nx\n');
    expect(one('replace', edit('b', 'x\n'), 'a\nb')).toBe('a\nx');
    expect(one('replace', edit('a', 'x', { allow_multiple: true }), 'aa')).toBe('xx');
    expect(one('replace', edit('a', 'x', { expected_replacements: 2 }), 'aa')).toBe('xx');
    expect(one('replace', edit('a', 'x', { expected_replacements: 2 }), 'aaa')).toEqual({ why: 'several-matches' });
    expect(one('write_file', { file_path: '/a', content: 'a\nb\n' }, 'x\r\n')).toBe('a\r\nb\r\n');
    expect(one('write_file', { file_path: '/a', content: 'a\nb\n' })).toBe('a\nb\n');
  });

  it('opencode replaces a whole file if there is no old text', () => {
    const args = { filePath: '/a', oldString: '', newString: 'new' };
    expect([one('edit', args, 'old'), one('edit', args)]).toEqual(['new', 'new']);
    expect(one('edit', { ...args, oldString: 'o' }, 'o o')).toEqual({ why: 'several-matches' });
    expect(one('edit', { ...args, oldString: 'o', replaceAll: true }, 'o o')).toBe('new new');
    expect(one('write', { filePath: '/a', content: 'x' }, 'old')).toBe('x');
  });

  it('opencode asks over ACP with a diff, from which it removed the common indentation', () => {
    const ask = (diff: string, before?: string) => one('edit', { filepath: '/a', diff }, before);
    const head = 'Index: /a\n===\n--- /a\n+++ /a\n';
    expect(ask(`${head}@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n`, 'one\ntwo\nthree\n')).toBe('one\nTWO\nthree\n');
    const indented = '{\n  a\n\n    b\n}\n';
    expect(ask(`${head}@@ -2,3 +2,4 @@\n a\n \n-  b\n+  B\n+c\n`, indented)).toBe('{\n  a\n\n    B\n  c\n}\n');
    expect(ask(`${head}@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n`)).toBe('a\nb');
    expect(ask(`${head}@@ -2,1 +2,0 @@\n-b\n@@ -4,1 +3,2 @@\n d\n+e\n`, 'a\r\nb\r\nc\r\nd\r\n')).toBe(
      'a\r\nc\r\nd\r\ne\r\n',
    );
    expect(ask(`${head}@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n`, 'a')).toBe('b\n');
    for (const [diff, before] of [
      ['@@ -1,1 +1,1 @@\n-a\n+b\n', 'x\na\n'],
      ['@@ -1,1 +1,1 @@\n-a\n+b\n', 'xa\n'],
      ['@@ -9,1 +9,1 @@\n-a\n+b\n', 'a\n'],
      ['@@ -2,1 +2,1 @@\n-b\n+c\n@@ -1,1 +1,1 @@\n-a\n+c\n', 'a\nb\n'],
      ['no diff at all', 'a\n'],
    ] as const)
      expect(ask(diff, before)).toEqual({ why: 'does-not-apply' });
    expect(ask('@@ -1,2 +1,3 @@\n a\n b\n+c\n', '\ta\n  b\n')).toEqual({ why: 'unclear' });
    expect(one('Edit', { filepath: '/a', diff: '@@' }, 'a')).toBe('unclear');
  });

  it('an ACP agent shows the whole file, or only what it replaces', () => {
    const shown = (old: string | undefined, after: string) => ({
      only_a_title: 'Edit a',
      paths: ['/a'],
      changes: [{ path: '/a', ...(old === undefined ? {} : { old }), new: after }],
    });
    expect(one('edit', shown('a\nb\n', 'a\nx\n'), 'a\nb\n')).toBe('a\nx\n');
    expect(one('edit', shown('b', 'x'), 'a\nb\n')).toBe('a\nx\n');
    expect(one('edit', shown(undefined, 'x'))).toBe('x');
    expect(one('edit', shown(undefined, 'x'), 'a')).toEqual({ why: 'does-not-apply' });
    expect(one('edit', shown('gone', 'x'), 'a')).toEqual({ why: 'no-match' });
    expect(written('edit', { only_a_title: 'Edit a', paths: ['/a'] })).toBeUndefined();
  });

  it('Claude Code edits the cells of a notebook', () => {
    const cell = (id: string, source: string) => ({
      cell_type: 'code',
      id,
      source,
      execution_count: 3,
      outputs: ['1'],
    });
    const notebook = (...cells: object[]) => JSON.stringify({ nbformat: 4, cells, nbformat_minor: 5 }, null, 1);
    const fresh = { execution_count: null, outputs: [] };
    const before = notebook(cell('p', '1'), cell('q', '2'));
    const args = (more: object) => ({ notebook_path: '/a.ipynb', new_source: 'x', ...more });
    expect(one('NotebookEdit', args({ cell_id: 'q' }), before)).toBe(
      notebook(cell('p', '1'), { ...cell('q', 'x'), ...fresh }),
    );
    expect(one('NotebookEdit', args({ cell_id: 'cell-0', edit_mode: 'delete' }), before)).toBe(
      notebook(cell('q', '2')),
    );
    expect(one('NotebookEdit', args({ cell_type: 'markdown', edit_mode: 'insert' }), before)).toBe(
      notebook({ cell_type: 'markdown', source: 'x', metadata: {} }, cell('p', '1'), cell('q', '2')),
    );
    expect(one('NotebookEdit', args({ cell_id: 'z' }), before)).toEqual({ why: 'no-match' });
    expect(one('NotebookEdit', args({ cell_id: 'cell-9' }), before)).toEqual({ why: 'no-match' });
    for (const odd of ['', '[]', '{"cells":{}}', '{"cells":[1]}'])
      expect(one('NotebookEdit', args({ cell_id: 'cell-0' }), odd)).toHaveProperty('why');
  });

  it('[CHANGE9.7] nothing is predicted from arguments that nobody knows, or a path that programs read in several ways', () => {
    const paths = ['~/a', ' a', 'a ', '', 'a\0b'];
    const calls = [
      edit('a', 'b', { dry_run: true }),
      { file_path: '/a', old_string: 'a' },
      { ...edit('a', 'b'), file_path: ['/a'] },
      ...paths.map((file_path) => ({ ...edit('a', 'b'), file_path })),
    ];
    expect(calls.map((args) => one('Edit', args, 'a'))).toEqual(calls.map(() => 'unclear'));
    const twice = [
      { path: '/a', new: 'x' },
      { path: '/a', new: 'y' },
    ];
    expect(one('edit', { only_a_title: 'x', changes: twice })).toBe('unclear');
    expect(one('edit', { only_a_title: 'x', file_path: '/a', changes: twice.slice(1) })).toBe('unclear');
    expect(one('Bash', { command: 'ls' })).toBeUndefined();
  });

  it('[CHANGE9.7] an edit whose result would be too large takes no time and no memory', () => {
    const began = performance.now();
    const before = 'a'.repeat(8_000_000);
    expect(one('Edit', edit('a', 'b'.repeat(1_000_000), { replace_all: true }), before)).toEqual({ why: 'unreadable' });
    const edits = Array.from({ length: 1_000 }, () => ({ old_string: 'x', new_string: 'y' }));
    expect(one('MultiEdit', { file_path: '/a', edits }, before)).toEqual({ why: 'unreadable' });
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});
