import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Rehearsals } from '../ports/index.js';
import { createFakeClock } from '../testing/index.js';
import { rehearseInQueue } from './rehearse-in-queue.js';

function start() {
  const clock = createFakeClock();
  const problems: unknown[] = [];
  const rehearsals: Rehearsals = {
    rehearse: () => Promise.reject(new Error('not used')),
    drop: async () => undefined,
    list: async () => [],
  };
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const rehearse = (invocationId: string, queue: 'wait' | 'wait-within-limit', signal = new AbortController().signal) =>
    rehearseInQueue(
      { clock, report: (error) => problems.push(error) },
      {
        rehearsals,
        call: { worldId: 'w', agentId: 'a', invocationId, toolName: 't' },
        queue,
        limitMs: 1_000,
        signal,
        run: () => {
          started.push(invocationId);
          return new Promise<string>((resolve) => ends.push(() => resolve('found')));
        },
      },
    );
  return { clock, started, ends, rehearse, problems };
}

it.each(['wait', 'wait-within-limit'] as const)(
  '[CHANGE6.6] [CHANGE9.3] a stopped rehearsal keeps its place until it has ended: %s',
  async (queue) => {
    const { clock, started, ends, rehearse } = start();
    const stop = new AbortController();
    const stopped = ['c1', 'c2'].map((id) => rehearse(id, queue, stop.signal));
    await setImmediate();
    const next = rehearse('c3', 'wait');
    stop.abort();
    for (const one of stopped) await expect(one).rejects.toThrow('stopped');
    await setImmediate();
    expect(started).toEqual(['c1', 'c2']);
    ends[0]?.();
    await setImmediate();
    expect(started).toEqual(['c1', 'c2', 'c3']);
    ends[2]?.();
    expect(await next).toMatchObject({ found: 'found' });
    // One that never ends leaves after a minute.
    clock.advance(45_000);
    void rehearse('c4', 'wait');
    void rehearse('c5', 'wait');
    clock.advance(15_000);
    await setImmediate();
    expect(started).toEqual(['c1', 'c2', 'c3', 'c4', 'c5']);
  },
);

it.each(['wait', 'wait-within-limit'] as const)(
  '[EXT1.12] a rehearsal whose signal has already aborted never starts, and takes no place: %s',
  async (queue) => {
    const { started, rehearse } = start();
    for (const id of ['c1', 'c2', 'c3'])
      await expect(rehearse(id, queue, AbortSignal.abort())).rejects.toThrow('stopped');
    void rehearse('c4', queue);
    await setImmediate();
    expect(started).toEqual(['c4']);
  },
);

it('[CHANGE6.7] [CHANGE9.3] a rehearsal waits for a limited time, and then there is no effect', async () => {
  const { clock, started, ends, rehearse, problems } = start();
  void rehearse('c1', 'wait');
  void rehearse('c2', 'wait');
  const within = rehearse('c3', 'wait-within-limit');
  const waited = rehearse('c4', 'wait');
  await setImmediate();
  clock.advance(1_000);
  expect(await within).toEqual({ noEffect: { reason: 'busy' } });
  clock.advance(19_000);
  expect(await waited).toEqual({ noEffect: { reason: 'busy' } });
  ends[0]?.();
  await setImmediate();
  expect(started).toEqual(['c1', 'c2']);
  expect(problems).toEqual([]);
});
