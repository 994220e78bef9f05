import { expect, it } from 'vitest';
import { hasOneOf, serverOf, withServer } from './server-tools.js';

it('finds the server of a tool by its name', () => {
  expect(serverOf('mcp__my-files__read__all')).toBe('my-files');
  expect(serverOf('mcp__files__*')).toBe('files');
  expect(serverOf('read_file')).toBeUndefined();
  expect(serverOf('mcp__*')).toBeUndefined();
});

it('[HTTP5.2] one entry gives an agent all tools of a server, and replaces single ones', () => {
  const chosen = ['grep', 'mcp__files__read', 'mcp__files-2__read'];
  expect(withServer(chosen, 'files', true)).toEqual(['grep', 'mcp__files-2__read', 'mcp__files__*']);
  expect(withServer(['grep', 'mcp__files__*'], 'files', false)).toEqual(['grep']);
});

it.each([
  [['*'], true],
  [['mcp__files__*'], true],
  [['mcp__*__read'], true],
  [['mcp__files__read'], true],
  [['mcp__files__rea'], false],
  [['mcp__files.*'], false],
  [['grep'], false],
  [[], false],
])('[HTTP5.2] whether an agent with %j has a tool of the server: %s', (list, expected) => {
  expect(hasOneOf(list, ['mcp__files__write', 'mcp__files__read'])).toBe(expected);
});
