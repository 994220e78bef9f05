import { describe, expect, it } from 'vitest';
import { readResult } from './read-result.js';

describe('what a call gave', () => {
  it('is read as what it is, also from text', () => {
    const shell = { exitCode: 1, stdout: 'a', stderr: 'b' };
    expect(readResult(shell)).toEqual({ kind: 'shell', ...shell });
    expect(readResult(JSON.stringify(shell))).toEqual({ kind: 'shell', ...shell });
    expect(readResult({ path: 'a', diff: '+b' })).toEqual({ kind: 'diff', path: 'a', diff: '+b' });
    const written = { path: 'a', created: true, bytes: 3 };
    expect(readResult(written)).toEqual({ kind: 'written', ...written });
  });

  it('of a file or a folder is read as its lines', () => {
    const file = { path: 'a', size: 3, firstLine: 1, lastLine: 2, content: 'b\nc' };
    expect(readResult(file)).toEqual({ kind: 'file', size: 3, lines: 'lines 1 to 2', content: 'b\nc', note: '' });
    expect(readResult({ path: 'a', size: 0, content: '' })).toMatchObject({ kind: 'file', lines: '' });
    expect(readResult({ path: 'a', entries: ['b', 'c/'], note: 'more' })).toEqual({
      kind: 'list',
      entries: ['b', 'c/'],
      note: 'more',
    });
    expect(readResult({ ...file, hidden: 'x' }).kind).toBe('other');
    expect(readResult({ path: 'a', entries: ['b', 1] }).kind).toBe('other');
  });

  it('hides nothing it does not know', () => {
    expect(readResult({ path: 'a', diff: '+b', more: 1 }).kind).toBe('other');
    expect(readResult({ path: 'a', created: true, bytes: 3, more: 1 }).kind).toBe('other');
    expect(readResult('{broken')).toEqual({ kind: 'text', text: '{broken' });
    expect(readResult(null)).toEqual({ kind: 'nothing' });
  });
});
