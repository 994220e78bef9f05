import type { Clock, SharedStore, ToolSource } from '@countersign/core/ports';
import { createFakeClock } from '@countersign/core/testing';
import { openSqlite } from '@countersign/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from './system-clock.js';
import { closeTestWorld, closeTestWorlds, deferred, gated, openTestWorld, tool } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';
import { obedient, propose, recorder } from './testing/obedient.js';
import { createTestEngine } from './testing/test-engine.js';

afterEach(closeTestWorlds);

/** A clock (real by default) that tracks timers which would keep the process alive. */
function countingClock(base: Clock = systemClock): { clock: Clock; timers: ReadonlySet<object> } {
  const timers = new Set<object>();
  const clock: Clock = {
    now: () => base.now(),
    after(ms, fire, options) {
      const timer = {};
      if (options?.background !== true) timers.add(timer);
      const cancel = base.after(
        ms,
        () => {
          timers.delete(timer);
          fire();
        },
        options,
      );
      return () => {
        timers.delete(timer);
        cancel();
      };
    },
  };
  return { clock, timers };
}

const inFolder = freshFolder();
const never = () => new Promise<never>(() => undefined);

describe('closing a world', () => {
  it('[STORE4] can be repeated, concurrently or later, without further effect', async () => {
    const t = await openTestWorld();
    await Promise.all([t.world.close(), t.world.close()]);
    await t.world.close();
    await expect(t.chat.send('hello?')).rejects.toMatchObject({ code: 'closed' });
  });

  it('[WORLD8] rejects everyone who waits for a chat to settle', async () => {
    const t = await openTestWorld({ script: never });
    await t.chat.send('hi');
    const [settled] = await Promise.allSettled([t.chat.settled(), closeTestWorld(t)]);
    expect(settled).toMatchObject({ status: 'rejected', reason: { code: 'closed' } });
  });

  it('[CALL8] [STORE3] right after an approval runs its call exactly once, before closing or after the next start, with a known outcome', async () => {
    const { runs, tool: remove } = recorder();
    for (const ticks of [0, 12, 24]) {
      runs.length = 0;
      const file = inFolder(`${ticks}.db`);
      const t = await openTestWorld({ script: obedient, tools: [remove], file });
      await propose(t, { name: 'remove', arguments: { path: 'a' } });
      const decided = t.world.decide(await t.onlyApproval(), { decision: 'approve' });
      // Blocks from before the decision is written until before it is committed.
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
      await Promise.allSettled([decided, closeTestWorld(t)]);
      const again = await openTestWorld({ script: obedient, tools: [remove], file });
      await again.world.quiet();
      const pending = await again.world.approvals();
      expect({ ticks, found: runs.length + pending.length }).toEqual({ ticks, found: 1 });
      const audit = await again.world.audit();
      expect(audit.filter(({ decision }) => decision === 'outcome unknown')).toEqual([]);
      await closeTestWorld(again);
    }
  });

  it('leaves no timer that would keep the process alive', async () => {
    const { clock, timers } = countingClock();
    const t = await openTestWorld({ script: never, clock });
    await t.chat.send('hi');
    await closeTestWorld(t);
    expect(timers.size).toBe(0);
  });

  it('[STORE7] leaves no timer behind for a step that was waiting for a retry', async () => {
    const { clock, timers } = countingClock(createFakeClock());
    const t = await openTestWorld({
      script: obedient,
      tools: [gated('remove', () => 'gone')],
      clock,
      probe: (moment) => {
        if (moment === 'before start-invocation') throw new Error('the disk is full');
      },
    });
    await propose(t, { name: 'remove' });
    // Uses the scope always, because an approval with scope once starts its call itself.
    await t.world.decide(await t.onlyApproval(), { decision: 'approve', scope: 'always' });
    await t.world.quiet();
    expect(timers.size).toBe(1);
    await closeTestWorld(t);
    expect(timers.size).toBe(0);
  });

  it('[WORLD10] works from inside a tool, a model or a listener', async () => {
    const inTool = deferred();
    const first = await openTestWorld({
      script: obedient,
      tools: [tool('close', () => first.world.close().then(inTool.resolve, inTool.reject))],
    });
    await first.chat.send('[{"name":"close"}]');
    await inTool.promise;
    const inModel = deferred();
    const second = await openTestWorld({
      script: () =>
        second.world
          .close()
          .then(() => inModel.resolve())
          .then(() => 'x'),
    });
    await second.chat.send('hi');
    await inModel.promise;
    const inListener = deferred();
    const third = await openTestWorld();
    third.world.on('message', () => third.world.close().then(inListener.resolve));
    await third.chat.send('hi');
    await inListener.promise;
    for (const { world, errors } of [first, second, third]) {
      await world.close();
      expect(errors).toEqual([]);
    }
  });
});

describe('closing a process that shares its store', () => {
  /** What other processes receive, oldest first. */
  function listenTo(): { heard: readonly string[]; shared: SharedStore } {
    const heard: string[] = [];
    const hears = async () => async () => undefined;
    return {
      heard,
      shared: {
        beat: async () => heard.push('beat') < 0,
        retire: async () => void heard.push('retired'),
        isAlive: async () => true,
        living: async () => [],
        turnsToCheck: async () => ({ own: [], orphaned: [] }),
        deliverWakes: hears,
        hear: hears,
        hint: () => undefined,
        hintLimitBytes: 1_000,
        workload: async () => ({ queued: 0, oldestMs: 0, running: 0 }),
      },
    };
  }

  function slowSource(close: () => Promise<void>): ToolSource {
    return { tools: () => new Map(), prepare: () => undefined, refresh: async () => undefined, close };
  }

  async function open(close: (clock: ReturnType<typeof createFakeClock>) => Promise<void>) {
    const clock = createFakeClock();
    const { heard, shared } = listenTo();
    const store = { ...(await openSqlite(':memory:', { clock })), shared };
    const engine = await createTestEngine({ store, clock, toolSources: [slowSource(() => close(clock))] });
    await engine.start();
    return { clock, heard, engine };
  }

  it('[STORE3] [STORE4.2] sends heartbeats until it has released its turns: a slow shutdown is not mistaken for a crash', async () => {
    let before = 0;
    const { clock, heard, engine } = await open(async (time) => {
      before = heard.length;
      for (let beats = 1; beats <= 5; beats += 1) {
        time.advance(1_500);
        await expect.poll(() => heard.length).toBe(before + beats);
      }
    });
    await engine.close();
    expect(heard.slice(before)).toEqual(['beat', 'beat', 'beat', 'beat', 'beat', 'retired']);
    clock.advance(60_000);
    expect(heard.at(-1)).toBe('retired');
  });

  it('[STORE4.2] waits for its current round, which must not use a closed store', async () => {
    const clock = createFakeClock();
    const { shared } = listenTo();
    const errors: unknown[] = [];
    const [asked, answer] = [deferred(), deferred()];
    let isHeld = false;
    const turnsToCheck: SharedStore['turnsToCheck'] = async () => {
      if (isHeld) {
        asked.resolve();
        await answer.promise;
      }
      return { own: [], orphaned: [] };
    };
    const store = { ...(await openSqlite(':memory:', { clock })), shared: { ...shared, turnsToCheck } };
    const engine = await createTestEngine({ store, clock, onError: (error) => errors.push(error) });
    await engine.start();
    isHeld = true;
    clock.advance(10_000);
    await asked.promise;
    const closed = engine.close();
    // Long enough for a shutdown that doesn't wait, and then for its round to fail.
    const pause = async (): Promise<void> => {
      for (let tick = 0; tick < 100; tick += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    await pause();
    answer.resolve();
    await closed;
    await pause();
    expect(errors).toEqual([]);
  });

  it('[STORE3] stops sending heartbeats if it can’t shut down cleanly, and others take over its turns', async () => {
    const { clock, heard, engine } = await open(() => Promise.reject(new Error('stuck')));
    await expect(engine.close()).rejects.toThrow('stuck');
    const last = heard.length;
    clock.advance(60_000);
    expect(heard.slice(last)).toEqual([]);
    expect(heard).not.toContain('retired');
  });
});

describe('a chat that is deleted', () => {
  it('[WORLD7] together with its world while a model generates a title causes no error', async () => {
    const asked = deferred();
    const title = deferred<string>();
    const t = await openTestWorld({
      agents: [{ name: 'Ada', provider: 'titling' }],
      providers: [
        {
          name: 'titling',
          async generate({ purpose }) {
            if (purpose === 'title') asked.resolve();
            const content = purpose === 'title' ? await title.promise : 'hello';
            return { type: 'text', content, usage: { inputTokens: 0, outputTokens: 0 } };
          },
        },
      ],
    });
    await t.chat.send('hi');
    await asked.promise;
    await t.world.delete();
    title.resolve('Greetings');
    await t.world.quiet();
    expect(t.errors).toEqual([]);
  });
});
