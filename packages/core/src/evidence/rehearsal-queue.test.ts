import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createRehearsalQueue } from './rehearsal-queue.js';

function start() {
  const queue = createRehearsalQueue();
  const started: string[] = [];
  const enter = (name: string, signal = new AbortController().signal): Promise<() => void> => {
    const turn = queue.takeTurn(name.charAt(0), signal);
    turn.then(
      () => started.push(name),
      () => undefined,
    );
    return turn;
  };
  return { started, enter };
}

it('[CHANGE6.6] one agent runs two rehearsals at a time, and others do not wait for it', async () => {
  const { started, enter } = start();
  const [a1] = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => enter(name));
  const b1 = enter('b1');
  await setImmediate();
  expect(started).toEqual(['a1', 'a2', 'b1']);
  (await a1)?.();
  await setImmediate();
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
  (await b1)();
  await setImmediate();
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
});

it('[CHANGE6.6] four run at the same time, and the next is of an agent that has the fewest', async () => {
  const { started, enter } = start();
  const [a1, , b1] = ['a1', 'a2', 'b1', 'b2'].map((name) => enter(name));
  for (const name of ['a3', 'b3', 'c1', 'd1']) void enter(name);
  await setImmediate();
  expect(started).toEqual(['a1', 'a2', 'b1', 'b2']);
  (await b1)?.();
  await setImmediate();
  expect(started).toEqual(['a1', 'a2', 'b1', 'b2', 'c1']);
  const leave = await a1;
  leave?.();
  leave?.();
  await setImmediate();
  expect(started).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'd1']);
});

it('[CHANGE6.7] agents take turns: the next is of the agent whose latest rehearsal began first', async () => {
  const { started, enter } = start();
  const first = ['a1', 'b1', 'c1', 'd1'].map((name) => enter(name));
  for (const name of ['a2', 'b2', 'c2', 'd2', 'a3', 'e1', 'f1']) void enter(name);
  for (const one of [first[1], first[0], first[3]]) {
    (await one)?.();
    await setImmediate();
  }
  expect(started).toEqual(['a1', 'b1', 'c1', 'd1', 'e1', 'f1', 'a2']);
});

it('[CHANGE6.5] [WORLD9] one that waits ends with its signal and never starts', async () => {
  const { started, enter } = start();
  const [a1, a2] = ['a1', 'a2'].map((name) => enter(name));
  const stop = new AbortController();
  const a3 = enter('a3', stop.signal);
  const a4 = enter('a4');
  stop.abort();
  await expect(a3).rejects.toThrow('stopped');
  (await a1)?.();
  await a4;
  expect(started).toEqual(['a1', 'a2', 'a4']);
  (await a2)?.();
});
