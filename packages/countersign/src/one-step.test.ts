import { afterEach, describe, expect, it } from 'vitest';
import type { Tool } from './index.js';
import { closeTestWorlds, openTestWorld, tool } from './testing/fixture.js';
import { first, obedient, propose, recorder } from './testing/obedient.js';

afterEach(closeTestWorlds);

/** A world that records its steps, in order. */
async function noted(tools: readonly Tool[]) {
  const steps: string[] = [];
  const t = await openTestWorld({
    script: obedient,
    tools,
    probe: (moment) => {
      if (moment.startsWith('after ')) steps.push(moment.slice('after '.length));
    },
  });
  return { ...t, steps };
}

describe('one step', () => {
  it('[CALL8] [TURN4] [STORE1] records an approval and starts its call', async () => {
    const { runs, tool: remove } = recorder();
    const t = await noted([remove]);
    await propose(t, { name: 'remove', arguments: { path: 'a' } });
    t.steps.length = 0;
    await t.world.decide(await t.onlyApproval(), { decision: 'approve' });
    expect(await t.chat.settled()).toBe('idle');
    expect(runs).toEqual([{ path: 'a' }]);
    expect(t.steps.filter((step) => step !== 'title')).toEqual([
      'decision',
      'tool-execution',
      'settle-invocation',
      'model-call',
      'answer',
    ]);
  });

  it('[CALL2.1] [RULE1] does not start a call whose rules the approval changed: it is judged again', async () => {
    const { runs, tool: remove } = recorder();
    const t = await noted([remove]);
    await propose(t, { name: 'remove', arguments: { path: 'a' } });
    t.steps.length = 0;
    await t.world.decide(await t.onlyApproval(), { decision: 'approve', scope: 'always' });
    expect(await t.chat.settled()).toBe('idle');
    expect(runs).toEqual([{ path: 'a' }]);
    expect(t.steps).toContain('start-invocation');
  });

  it('[CALL2.1] [RULE1] does not start a call that a new rule denies', async () => {
    const { runs, tool: remove } = recorder();
    const t = await noted([remove]);
    await propose(t, { name: 'remove', arguments: { path: 'a' } });
    const approval = await t.onlyApproval();
    await t.world.setPolicy(['deny remove']);
    await t.world.decide(approval, { decision: 'approve' });
    expect(await t.chat.settled()).toBe('idle');
    expect(runs).toEqual([]);
  });

  it('[TURN8] [TURN9] starts each call after the previous one has ended, in call order', async () => {
    const ran: string[] = [];
    const named = (name: string) => tool(name, async () => ran.push(name));
    const t = await noted([named('one'), named('two'), named('three')]);
    await propose(t, { name: 'one' }, { name: 'two' }, { name: 'three' });
    expect(ran).toEqual(['one', 'two', 'three']);
    // The first one starts in the step that stores the model's response.
    expect(t.steps.filter((step) => step === 'start-invocation')).toHaveLength(2);
    expect(t.steps.filter((step) => step === 'settle-invocation')).toHaveLength(3);
    const audited = (await t.world.audit()).flatMap(({ kind, tool: name }) => (kind === 'run' ? [name] : []));
    expect(audited).toEqual(['one', 'two', 'three']);
  });

  it('[CALL2.1] [RULE1] does not start the next call if a rule that was added in the meantime denies it', async () => {
    const { runs, tool: remove } = recorder('remove', { approval: { required: false } });
    const t = await noted([tool('first', async () => await forbid()), remove]);
    const forbid = async (): Promise<string> => {
      await t.world.setPolicy(['deny remove']);
      return 'forbidden';
    };
    await propose(t, { name: 'first' }, { name: 'remove', arguments: { path: 'a' } });
    expect(runs).toEqual([]);
    expect(first((await t.chat.messages()).slice(-1)).content).toBe('done');
  });

  it('[WORLD9] a stop right after an approval settles the call once, and it never runs afterwards or without a record', async () => {
    const { runs, tool: remove } = recorder();
    const t = await noted([remove]);
    await propose(t, { name: 'remove', arguments: { path: 'a' } });
    const decided = t.world.decide(await t.onlyApproval(), { decision: 'approve' });
    await Promise.all([decided, t.chat.stop()]);
    expect(await t.chat.settled()).toBe('idle');
    const results = (await t.chat.messages()).filter(({ tool_call_id }) => tool_call_id?.startsWith('call_'));
    expect(results).toHaveLength(1);
    const before = runs.length;
    await t.world.quiet();
    expect(runs.length).toBe(before);
    expect((await t.world.audit()).filter(({ kind }) => kind === 'run').length).toBeGreaterThanOrEqual(runs.length);
  });
});
