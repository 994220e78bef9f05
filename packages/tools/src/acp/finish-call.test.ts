import { setImmediate } from 'node:timers/promises';
import { createFakeClock } from '@countersign/core/testing';
import { expect, it } from 'vitest';
import { finishCall } from './finish-call.js';
import { createPrompt } from './prompt.js';

const OPTIONS = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' as const },
  { optionId: 'no', name: 'No', kind: 'reject_once' as const },
];

it('[EXT3.2] refuses no request that came after the call ended, if the list of open calls is late', async () => {
  const clock = createFakeClock();
  const prompt = createPrompt('turn', 'fixture');
  const ask = (toolCallId: string) => void prompt.ask({ toolCallId, title: toolCallId }, OPTIONS);
  ask('c1');
  ask('c2');
  const [first] = prompt.takeAsked();
  const call = first === undefined ? undefined : prompt.allow(first);
  if (call === undefined) throw new Error('the first call was not allowed');
  const lists: ((open: readonly string[]) => void)[] = [];
  const openCalls = () => new Promise<readonly string[]>((resolve) => lists.push(resolve));
  const { signal } = new AbortController();
  const result = finishCall(clock, prompt, call, { signal, openCalls });
  ask('c3');
  clock.advance(3_000);
  while (lists.length === 0) await setImmediate();
  prompt.update({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' });
  expect(await result).toBe('');
  const [third] = prompt.takeAsked();
  lists[0]?.([]);
  await setImmediate();
  expect(third?.isAnswered()).toBe(false);
});

it.each([
  ['has not started', 'pending', 1],
  ['has started', 'in_progress', 20],
] as const)(
  '[EXT3.2] a call that %s ends as not reported while the agent waits with a later request',
  async (_, status, polls) => {
    const clock = createFakeClock();
    const prompt = createPrompt('turn', 'fixture');
    void prompt.ask({ toolCallId: 'c1', title: 'c1' }, OPTIONS);
    const [first] = prompt.takeAsked();
    const call = first === undefined ? undefined : prompt.allow(first);
    if (call === undefined) throw new Error('the first call was not allowed');
    const result = finishCall(clock, prompt, call, { signal: new AbortController().signal });
    let hasEnded = false;
    result.catch(() => (hasEnded = true));
    prompt.update({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status });
    void prompt.ask({ toolCallId: 'c2', title: 'c2' }, OPTIONS);
    for (let poll = 1; poll <= polls; poll += 1) {
      await setImmediate();
      expect(hasEnded).toBe(false);
      clock.advance(3_000);
    }
    await expect(result).rejects.toThrow('did not report how the call ended');
  },
);
