import type { PermissionOption, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { expect, it } from 'vitest';
import { createPrompt, type Prompt } from './prompt.js';

const OPTIONS: PermissionOption[] = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
const NO = { outcome: 'selected', optionId: 'no' };
const YES = { outcome: 'selected', optionId: 'yes' };

const run = (toolCallId: string, command: string): ToolCallUpdate => ({ toolCallId, rawInput: { command } });

const report = (prompt: Prompt, update: ToolCallUpdate): void =>
  prompt.update({ sessionUpdate: 'tool_call_update', ...update });

it('[EXT3.7] a yes is not passed on if the agent described the call differently after it asked', async () => {
  const prompt = createPrompt('t1', 'fixture');
  const answer = prompt.ask(run('c1', 'ls'), OPTIONS);
  const [asked] = prompt.takeAsked();
  report(prompt, run('c1', 'rm -rf /'));
  expect(asked && prompt.allow(asked)).toBeUndefined();
  prompt.rejectExcept([]);
  expect(await answer).toEqual(NO);
});

it('[EXT3.7] a call that the agent describes again with the same arguments can still be allowed', async () => {
  const prompt = createPrompt('t1', 'fixture');
  const answer = prompt.ask(run('c1', 'ls'), OPTIONS);
  const [asked] = prompt.takeAsked();
  report(prompt, { ...run('c1', 'ls'), status: 'pending', title: 'List the files' });
  expect(asked && prompt.allow(asked)).toBeDefined();
  expect(await answer).toEqual(YES);
});

it('[EXT3.7] a second request for a call that waits is refused, so that one id never stands for two calls', async () => {
  const prompt = createPrompt('t1', 'fixture');
  const first = prompt.ask(run('c1', 'ls'), OPTIONS);
  expect(await prompt.ask(run('c1', 'rm -rf /'), OPTIONS)).toEqual(NO);
  const asked = prompt.takeAsked();
  expect(asked.map(({ arguments: args }) => args)).toEqual([{ command: 'ls' }]);
  expect(await prompt.ask(run('c1', 'rm -rf /'), OPTIONS)).toEqual(NO);
  for (const permission of asked) expect(prompt.allow(permission)).toBeDefined();
  expect(await first).toEqual(YES);
});

it('[EXT3.2] an allowed call ends as not reported if the agent asks for it again', async () => {
  const prompt = createPrompt('t1', 'fixture');
  void prompt.ask(run('c1', 'make'), OPTIONS);
  const [first] = prompt.takeAsked();
  const allowed = first && prompt.allow(first);
  report(prompt, { toolCallId: 'c1', status: 'in_progress' });
  void prompt.ask(run('c1', 'make --network'), OPTIONS);
  expect(await allowed?.ended).toEqual({ kind: 'not-reported' });
  const [second] = prompt.takeAsked();
  const again = second && prompt.allow(second);
  report(prompt, { toolCallId: 'c1', status: 'completed', rawOutput: 'built' });
  expect(await again?.ended).toEqual({ kind: 'completed', text: 'built' });
});

it('[EXT3.9] shows that the agent ran a call after a no', async () => {
  const prompt = createPrompt('t1', 'fixture');
  const answer = prompt.ask({ ...run('c1', 'rm -rf build'), title: 'Clean up' }, OPTIONS);
  prompt.takeAsked();
  prompt.rejectExcept([]);
  expect(await answer).toEqual(NO);
  report(prompt, { toolCallId: 'c1', status: 'failed' });
  expect(prompt.take().thinking).toBe('');
  report(prompt, { toolCallId: 'c1', status: 'completed' });
  expect(prompt.take().thinking).toContain('Clean up (reported as completed, although it was not allowed)');
});

it('[EXT3.16] a report that crosses the request is part of the call that people see; a later one is another call', () => {
  const prompt = createPrompt('t1', 'fixture');
  void prompt.ask(run('c1', 'ls'), OPTIONS);
  const described = (more: object): ToolCallUpdate => ({
    toolCallId: 'c1',
    status: 'in_progress',
    rawInput: { command: 'ls', ...more },
  });
  report(prompt, described({ cwd: '/work' }));
  const [asked] = prompt.takeAsked();
  expect(asked?.arguments).toEqual({ command: 'ls', cwd: '/work' });
  report(prompt, described({ cwd: '/' }));
  expect(asked && prompt.allow(asked)).toBeUndefined();
  report(prompt, described({ cwd: '/work' }));
  expect(asked && prompt.allow(asked)).toBeDefined();
});
