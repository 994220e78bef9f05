import { expect, it } from 'vitest';
import { createScheduler, type TurnRun } from './scheduler.js';

const never = () => () => undefined;

it('[S1] a wake-up is not lost to a wait that its run had given up', async () => {
  let runs = 0;
  let letGo = (): void => undefined;
  const work = async ({ wakes }: TurnRun): Promise<void> => {
    runs += 1;
    if (runs > 1) return;
    // A tool ended first: the wait for a wake-up stays behind and nobody listens to it.
    await Promise.race([Promise.resolve(), wakes.next()]);
    await new Promise<void>((resolve) => {
      letGo = resolve;
    });
  };
  const scheduler = createScheduler((_, run) => work(run), never);
  scheduler.wake('turn');
  await new Promise(setImmediate);
  scheduler.wake('turn');
  letGo();
  await scheduler.quiet();
  await new Promise(setImmediate);
  expect(runs).toBe(2);
});

it('[S1] a wake-up during a wait ends it', async () => {
  const seen: string[] = [];
  const scheduler = createScheduler(async (_, { wakes }) => {
    if (seen.length > 0) return;
    seen.push('waits');
    await wakes.next();
    seen.push('goes on');
  }, never);
  scheduler.wake('turn');
  await new Promise(setImmediate);
  expect(seen).toEqual(['waits']);
  scheduler.wake('turn');
  await scheduler.quiet();
  expect(seen).toEqual(['waits', 'goes on']);
});
