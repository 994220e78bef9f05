import { expect, it } from 'vitest';
import { createScheduler, type TurnRun } from './scheduler.js';

const never = () => () => undefined;

it('[STORE1] a wake-up is not lost to an abandoned wait', async () => {
  let runs = 0;
  let letGo = (): void => undefined;
  const work = async ({ wakes }: TurnRun<unknown>): Promise<void> => {
    runs += 1;
    if (runs > 1) return;
    // A tool ended first, so the wait for a wake-up was abandoned.
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

it('[STORE1] a wake-up during a wait ends it', async () => {
  const seen: string[] = [];
  const scheduler = createScheduler(async (_, { wakes }) => {
    if (seen.length > 0) return;
    seen.push('waits');
    await wakes.next();
    seen.push('resumes');
  }, never);
  scheduler.wake('turn');
  await new Promise(setImmediate);
  expect(seen).toEqual(['waits']);
  scheduler.wake('turn');
  await scheduler.quiet();
  expect(seen).toEqual(['waits', 'resumes']);
});

it('[CALL8] a handover reaches exactly one run: a new one, the active one, or the next one', async () => {
  const taken: (readonly [run: number, isFresh: boolean, handovers: readonly string[]])[] = [];
  let runs = 0;
  const scheduler = createScheduler<string>(async (_, run) => {
    const nth = (runs += 1);
    taken.push([nth, run.isFresh, run.take()]);
    if (nth > 1) return;
    await run.wakes.next();
    taken.push([nth, run.isFresh, run.take()]);
    scheduler.wake('turn', 'too late');
  }, never);
  scheduler.wake('turn', 'first');
  scheduler.wake('turn', 'second');
  await scheduler.quiet();
  await new Promise(setImmediate);
  expect(taken).toEqual([
    [1, true, ['first']],
    [1, true, ['second']],
    [2, false, ['too late']],
  ]);
  expect(scheduler.untaken()).toEqual([]);
});

it('[CALL8] [STORE3] a handover during shutdown is returned, whether a run was active or not', async () => {
  const scheduler = createScheduler<string>(async (_, { signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  }, never);
  scheduler.wake('active');
  scheduler.wake('active', 'not taken');
  expect(scheduler.takesWork()).toBe(true);
  await scheduler.close(1);
  scheduler.wake('idle', 'not begun');
  expect(scheduler.takesWork()).toBe(false);
  expect(scheduler.untaken()).toEqual(['not taken', 'not begun']);
});
