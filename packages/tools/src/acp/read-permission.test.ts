import { expect, it } from 'vitest';
import { readAsked } from './read-permission.js';

it.each([
  [{ name: 'bash', kind: 'execute' }, 'bash'],
  [{ name: 'super_shell', kind: 'execute' }, 'execute'],
  [{ name: 'linear_create', kind: 'other' }, 'linear_create'],
  [{ name: 'linear_create' }, 'linear_create'],
  [{ name: 'not a name', kind: 'fetch' }, 'fetch'],
  [{ _meta: { claudeCode: { toolName: 'Task' } }, kind: 'think' }, 'Task'],
  [{ _meta: { claudeCode: { toolName: 'NewShell' } }, kind: 'execute' }, 'execute'],
  [{}, 'other'],
] as const)('[EXT3.5] names the tool of %j so that rules for our own tools apply: %s', (call, tool) => {
  expect(readAsked('coder', { toolCallId: '1', ...call }).toolName).toBe(`coder__${tool}`);
});
