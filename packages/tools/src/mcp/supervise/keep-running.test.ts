import { createFakeClock } from '@countersign/core/testing';
import { expect, it } from 'vitest';
import { keepRunning, type Runs } from './keep-running.js';

function setUp({ failing = 0 }: { failing?: number } = {}) {
  const clock = createFakeClock();
  const starts: { at: number; folder: string | undefined; end: () => void }[] = [];
  const life = { failing, healthy: true, changes: 0, closed: 0 };
  const keeper = keepRunning<Runs>({
    clock,
    firstPauseMs: 1_000,
    healthMs: 30_000,
    async start(folder, _signal, ended) {
      starts.push({ at: clock.now() - startedAt, folder, end: ended });
      if (starts.length <= life.failing) throw new Error('it does not want to');
      return {
        workingDirectory: folder ?? '/here',
        check: async () => {
          if (!life.healthy) throw new Error('silent');
        },
        close: async () => {
          life.closed += 1;
        },
      };
    },
    explain: (error) => (error instanceof Error ? error.message : 'unknown'),
    onChange: () => {
      life.changes += 1;
    },
  });
  const startedAt = clock.now();
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    // Timers continue in promises, so flush the microtasks.
    for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
  };
  return { clock, keeper, starts, life, pass };
}

it('starts once, however many callers need it at the same time', async () => {
  const { keeper, starts } = setUp();
  expect(keeper.state()).toEqual({ status: 'idle' });
  const [one, two] = await Promise.all([keeper.get(), keeper.get()]);
  expect(one).toBe(two);
  expect(starts).toHaveLength(1);
  expect(keeper.state()).toEqual({ status: 'running' });
});

it('retries after 1, 2, 4, 8 and 16 seconds, and then only when needed', async () => {
  const { keeper, starts, pass } = setUp({ failing: 99 });
  await expect(keeper.get()).rejects.toThrow('it does not want to');
  expect(keeper.state()).toEqual({ status: 'failed', error: 'it does not want to' });
  for (let second = 0; second < 200; second += 1) await pass(1_000);
  expect(starts.map(({ at }) => at / 1_000)).toEqual([0, 1, 3, 7, 15, 31]);
  const needed = keeper.get();
  needed.catch(() => undefined);
  await pass(0);
  expect(starts).toHaveLength(7);
});

it('callers don’t wait for a server that just failed or has been starting for too long', async () => {
  const { keeper, pass } = setUp({ failing: 1 });
  expect(keeper.isStuck(10_000)).toBe(false);
  await expect(keeper.get()).rejects.toThrow('it does not want to');
  expect(keeper.isStuck(10_000)).toBe(true);
  await pass(1_000);
  expect(keeper.isStuck(10_000)).toBe(false);

  const clock = createFakeClock();
  const hanging = keepRunning<Runs>({
    clock,
    firstPauseMs: 1,
    healthMs: 1,
    start: () => new Promise(() => undefined),
    explain: String,
    onChange: () => undefined,
  });
  void hanging.get();
  expect(hanging.isStuck(10_000)).toBe(false);
  clock.advance(10_001);
  expect(hanging.isStuck(10_000)).toBe(true);
});

it('a caller during the delay waits for the next attempt', async () => {
  const { keeper, pass } = setUp({ failing: 1 });
  await expect(keeper.get()).rejects.toThrow('it does not want to');
  let got = false;
  const waiting = keeper.get().then(() => {
    got = true;
  });
  await pass(500);
  expect(got).toBe(false);
  await pass(500);
  await waiting;
  expect(got).toBe(true);
});

it('restarts a server that exited, and resets the failure count once it works', async () => {
  const { keeper, starts, pass } = setUp();
  await keeper.get();
  starts[0]?.end();
  expect(keeper.state()).toEqual({ status: 'failed', error: 'it stopped unexpectedly' });
  await pass(1_000);
  expect(keeper.state()).toEqual({ status: 'running' });
  keeper.proven();
  starts[1]?.end();
  await pass(1_000);
  expect(starts.map(({ at }) => at)).toEqual([0, 1_000, 2_000]);
});

it('detects a server that stopped responding, kills it and starts another', async () => {
  const { keeper, starts, life, pass } = setUp();
  await keeper.get();
  await pass(30_000);
  expect(keeper.state()).toEqual({ status: 'running' });
  life.healthy = false;
  await pass(30_000);
  expect(keeper.state()).toEqual({ status: 'failed', error: 'it stopped responding' });
  expect(life.closed).toBe(1);
  life.healthy = true;
  await pass(1_000);
  expect(starts).toHaveLength(2);
  life.healthy = false;
  keeper.doubt();
  await pass(0);
  expect(keeper.state()).toMatchObject({ status: 'failed' });
});

it('restarts in another folder', async () => {
  const { keeper, starts, life } = setUp();
  await keeper.get('/one');
  await keeper.get('/one');
  await keeper.get();
  expect(starts).toHaveLength(1);
  await keeper.get('/two');
  expect(starts.map(({ folder }) => folder)).toEqual(['/one', '/two']);
  expect(life.closed).toBe(1);
});

it('stays idle after a stop, even during a delay, until someone needs it', async () => {
  const { keeper, starts, pass } = setUp({ failing: 1 });
  await expect(keeper.get()).rejects.toThrow('it does not want to');
  const waiting = keeper.get();
  const [said] = await Promise.all([waiting.catch(String), keeper.stop()]);
  expect(said).toContain('it was stopped');
  expect(keeper.state()).toEqual({ status: 'idle' });
  await pass(100_000);
  expect(starts).toHaveLength(1);
  await keeper.get();
  expect(keeper.state()).toEqual({ status: 'running' });
});
