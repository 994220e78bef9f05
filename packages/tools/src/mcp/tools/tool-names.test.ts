import { mcpServerNameSchema, toolNameSchema } from '@countersign/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyCharacter } from '../../../../../tests/support/any-character.js';
import { mayName, namePrefix, toolName } from './tool-names.js';

const servers = fc
  .string({ minLength: 1, maxLength: 24 })
  .filter((name) => mcpServerNameSchema.safeParse(name).success);
const server = fc.oneof(servers, fc.constantFrom('a', 'github', 'x'.repeat(24)));
const tool = fc.oneof(
  fc.string({ minLength: 1, maxLength: 200, unit: anyCharacter }),
  fc.stringMatching(/^[a-z_-]{1,60}$/),
);

it('[CALL1] any tool gets a stable name that vendors accept', () => {
  fc.assert(
    fc.property(server, tool, (server, tool) => {
      const name = toolName(server, tool);
      expect(toolNameSchema.safeParse(name).success).toBe(true);
      expect(name.startsWith(namePrefix(server))).toBe(true);
      expect(toolName(server, tool)).toBe(name);
    }),
  );
});

it('keeps a name that vendors accept', () => {
  expect(toolName('github', 'create_issue')).toBe('mcp__github__create_issue');
  expect(toolName('x'.repeat(24), 'y'.repeat(33))).toBe(`mcp__${'x'.repeat(24)}__${'y'.repeat(33)}`);
});

it('keeps names distinct that would otherwise be truncated or rewritten to the same one', () => {
  const names = ['a b', 'a_b', 'a.b', 'a/b', `${'z'.repeat(100)}1`, `${'z'.repeat(100)}2`];
  expect(new Set(names.map((name) => toolName('s', name))).size).toBe(names.length);
});

it.each([
  ['*', true],
  ['mcp__*', true],
  ['mcp__git*', true],
  ['mcp__github__*', true],
  ['mcp__github__read', true],
  ['mcp__github__re*d', true],
  ['mcp__gitlab__*', false],
  ['read_file', false],
  ['m*p__other__x', true],
  ['shell*', false],
])('tells whether %s may be a tool name of github: %s', (pattern, expected) => {
  expect(mayName(pattern, 'github')).toBe(expected);
});
