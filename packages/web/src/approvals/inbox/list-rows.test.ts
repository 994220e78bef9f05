import { expect, it } from 'vitest';
import { alikeKey, groupCalls, keepPlaces, toRows } from './list-rows.js';
import type { ShownApproval } from '../shown-approval.js';

const calls = (text: string): { id: string; key: string }[] =>
  text.split(' ').map((id) => ({ id, key: id.replace(/\d+$/, '') }));
const NONE: ReadonlySet<string> = new Set();
const shown = (groups: ReturnType<typeof groupCalls>, open = NONE): string =>
  toRows(groups, open)
    .map((row) => (row.kind === 'call' ? row.id : `${row.group.key}×${row.group.ids.length}`))
    .join(' ');

it('[PAGE6.4] three alike calls become one row in the place of the first; fewer stay where they are', () => {
  const groups = groupCalls(calls('a1 b1 a2 c1 b2 a3'));
  expect(shown(groups)).toBe('a×3 b1 c1 b2');
  expect(shown(groups, new Set(['a']))).toBe('a×3 a1 a2 a3 b1 c1 b2');
});

it('[PAGE6.5] under the pointer no row moves: calls that are gone stay, and new ones come last or join a folded group', () => {
  const before = groupCalls(calls('a1 a2 a3 b1 c1'));
  const now = calls('a1 a3 a4 b2 c1');
  expect(shown(keepPlaces(before, now, NONE))).toBe('a×4 b1 c1 b2');
  expect(shown(keepPlaces(before, now, new Set(['a'])), new Set(['a']))).toBe('a×3 a1 a2 a3 b1 c1 a4 b2');
  expect(keepPlaces(before, calls('c1'), NONE)).toBe(before);
});

it('[PAGE6.4] calls are alike if the same agent wants the same tool, or the same program of a shell', () => {
  const key = (worldId: string, agentId: string, toolName: string, args: unknown, more = {}): string =>
    alikeKey({ worldId, approval: { approvalId: 'x', agentId, toolName, arguments: args, ...more } } as ShownApproval);
  const rm = key('w', 'a', 'shell_cmd', { command: 'rm one' });
  expect(key('w', 'a', 'shell_cmd', { command: ' rm -f two' })).toBe(rm);
  for (const other of [
    key('w', 'a', 'shell_cmd', { command: 'ls one' }),
    key('w', 'b', 'shell_cmd', { command: 'rm one' }),
    key('v', 'a', 'shell_cmd', { command: 'rm one' }),
  ])
    expect(other).not.toBe(rm);
  expect(key('w', 'a', 'press', { button: 1 })).toBe(key('w', 'a', 'press', { button: 2 }));
  expect(key('w', 'a', 'ask_human', {}, { question: { text: 'Which?' } })).toBe('x');
});
