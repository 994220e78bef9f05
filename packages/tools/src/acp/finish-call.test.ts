import { setImmediate } from 'node:timers/promises';
import { createFakeClock } from '@countersign/core/testing';
import { expect, it } from 'vitest';
import { finishCall } from './finish-call.js';
import { createPrompt } from './prompt.js';

const OPTIONS = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' as const },
  { optionId: 'no', name: 'No', kind: 'reject_once' as const },
];

it('[A59.2] refuses no request that came after the call ended, if the list of open calls is late', async () => {
  const clock = createFakeClock();
  const prompt = createPrompt('turn', 'fixture');
  const ask = (toolCallId: string) => void prompt.ask({ toolCallId, title: toolCallId }, OPTIONS);
  ask('c1');
  const [first] = prompt.takeAsked();
  const call = first === undefined ? undefined : prompt.allow(first);
  if (call === undefined) throw new Error('the first call was not allowed');
  const lists: ((open: readonly string[]) => void)[] = [];
  const openCalls = () => new Promise<readonly string[]>((resolve) => lists.push(resolve));
  const { signal } = new AbortController();
  const result = finishCall(clock, prompt, call, { signal, openCalls });
  ask('c2');
  clock.advance(3_000);
  while (lists.length === 0) await setImmediate();
  prompt.update({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' });
  expect(await result).toBe('');
  const [second] = prompt.takeAsked();
  lists[0]?.([]);
  await setImmediate();
  expect(second?.isAnswered()).toBe(false);
});
