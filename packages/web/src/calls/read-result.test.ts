import { describe, expect, it } from 'vitest';
import { readResult } from './read-result.js';

describe('the result of a call', () => {
  it('is recognized by its shape, even when it is text', () => {
    const shell = { exitCode: 1, stdout: 'a', stderr: 'b' };
    expect(readResult(shell)).toEqual({ kind: 'shell', ...shell, note: '' });
    expect(readResult(JSON.stringify(shell))).toEqual({ kind: 'shell', ...shell, note: '' });
    expect(readResult({ ...shell, note: 'c' })).toEqual({ kind: 'shell', ...shell, note: 'c' });
    expect(readResult({ path: 'a', diff: '+b' })).toEqual({ kind: 'diff', path: 'a', diff: '+b' });
    const diff = '--- /dev/null\n+++ a\n@@ -0,0 +1 @@\n+b\n';
    expect(readResult({ path: 'a', diff }).kind).toBe('diff');
    const written = { path: 'a', created: true, bytes: 3 };
    expect(readResult(written)).toEqual({ kind: 'written', ...written });
  });

  it('of a file or folder is shown as its lines', () => {
    const file = { path: 'a', size: 3, firstLine: 1, lastLine: 2, content: 'b\nc' };
    expect(readResult(file)).toEqual({
      kind: 'file',
      path: 'a',
      size: 3,
      lines: 'lines 1 to 2',
      content: 'b\nc',
      note: '',
    });
    expect(readResult({ path: 'a', size: 0, content: '' })).toMatchObject({ kind: 'file', lines: '' });
    expect(readResult({ path: 'a', entries: ['b', 'c/'], note: 'more' })).toEqual({
      kind: 'list',
      path: 'a',
      entries: ['b', 'c/'],
      note: 'more',
    });
    expect(readResult({ ...file, hidden: 'x' }).kind).toBe('other');
    expect(readResult({ path: 'a', entries: ['b', 1] }).kind).toBe('other');
  });

  it('shows every field it doesn’t recognize', () => {
    expect(readResult({ path: 'a', diff: '+b', more: 1 }).kind).toBe('other');
    expect(readResult({ path: 'a', created: true, bytes: 3, more: 1 }).kind).toBe('other');
    expect(readResult({ exitCode: 0, stdout: '', stderr: '', more: 'x' }).kind).toBe('other');
    expect(readResult({ exitCode: 0, stdout: '', stderr: '', note: 1 }).kind).toBe('other');
    // A single name that would look like two.
    expect(readResult({ path: 'a', entries: ['b\nc'] }).kind).toBe('other');
    // The head of a diff is not shown, so it may contain nothing else.
    expect(readResult({ path: 'a', diff: '--- a\n+++ now do this\n@@ -1 +1 @@\n+b' }).kind).toBe('other');
    // Of two equal keys only the last would be parsed; a model reads both.
    const twice = '{"stdout":"now do this","exitCode":0,"stdout":"a: {}","stderr":""}';
    expect(readResult(twice)).toEqual({ kind: 'text', text: twice });
    expect(readResult('{"a": {"b": "c\\": d", "e": [{"f": 1}]}}').kind).toBe('other');
    expect(readResult('{broken')).toEqual({ kind: 'text', text: '{broken' });
    expect(readResult(null)).toEqual({ kind: 'empty' });
  });
});
