import { createFakeClock } from '@countersign/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { closeTestWorlds, openTestWorld } from './testing/fixture.js';
import { obedient, propose, recorder } from './testing/obedient.js';

afterEach(closeTestWorlds);

const HOUR = 3_600_000;
const remove = { name: 'remove', arguments: { path: 'a' } };
const RULE = 'allow remove(path=a) until 2026-01-01T01:00Z';

async function openAt2026(policy: string[] = [], adminRules: string[] = []) {
  const clock = createFakeClock(Date.parse('2026-01-01T00:00Z'));
  const { runs, tool } = recorder();
  let onInspect = (): void => undefined;
  const inspected = { ...tool, fingerprint: async () => (onInspect(), 'same') };
  const t = await openTestWorld({ script: obedient, clock, tools: [inspected], policy, adminRules });
  return { ...t, clock, runs, whenInspected: (act: () => void) => void (onInspect = act) };
}

describe('a rule that ends', () => {
  it('[RULE11] lets calls run until then, and calls need approval afterwards, without any change to the rules', async () => {
    const t = await openAt2026([RULE]);
    expect(await propose(t, remove)).toBe('idle');
    t.clock.advance(HOUR - 1);
    expect(await propose(t, remove)).toBe('idle');
    expect(t.runs).toHaveLength(2);
    t.clock.advance(1);
    expect(await propose(t, remove)).toBe('waiting');
    expect(t.runs).toHaveLength(2);
    expect(await t.world.policy()).toEqual([RULE]);
    const verdict = await t.world.checkPolicy({ tool: 'remove', arguments: { path: 'a' } });
    expect(verdict).toMatchObject({ outcome: 'ask', notApplied: [{ rule: RULE, code: 'ended' }] });
  });

  it('[RULE11] is judged in the step that starts the call: one that ended while the call was read allows nothing', async () => {
    const t = await openAt2026([RULE]);
    t.clock.advance(HOUR - 1000);
    t.whenInspected(() => t.clock.advance(1000));
    expect(await propose(t, remove)).toBe('waiting');
    expect(t.runs).toEqual([]);
  });

  it('[RULE11] also ends in the administrator’s file, and the world’s own rules apply again', async () => {
    const t = await openAt2026(['deny remove'], [RULE]);
    expect(await propose(t, remove)).toBe('idle');
    t.clock.advance(HOUR);
    expect(await propose(t, remove)).toBe('idle');
    expect(t.runs).toHaveLength(1);
  });

  it('[RULE11.2] [RULE11.3] stores "for 1h" as a time by the store’s clock, and refuses a time that is over', async () => {
    const t = await openAt2026();
    await t.world.setPolicy(['allow remove(path=a) for 1h']);
    expect(await t.world.policy()).toEqual([RULE]);
    const past = 'allow remove until 2025-12-31';
    await expect(t.world.setPolicy([RULE, past])).rejects.toThrow('line 2: this rule ended at 2025-12-31T00:00Z');
    t.clock.advance(HOUR);
    // A rule that is already stored stays, whatever else is changed.
    await t.world.setPolicy([RULE, 'ask other']);
    expect(await t.world.policy()).toEqual([RULE, 'ask other']);
  });

  it('[RULE11.2] [RULE11.3] "always" can end too, and not in the past', async () => {
    const t = await openAt2026();
    expect(await propose(t, remove)).toBe('waiting');
    const approval = await t.onlyApproval();
    const always = (rule: string) => t.world.decide(approval, { decision: 'approve', scope: 'always', rule });
    expect(await always('allow remove(path=a) until 2025-12-31')).toMatchObject({ kind: 'refused' });
    expect(t.runs).toEqual([]);
    expect(await always('allow remove(path=a) for 1h')).toMatchObject({ kind: 'recorded' });
    await t.chat.settled();
    expect(await t.world.policy()).toEqual([RULE]);
    expect(await propose(t, remove)).toBe('idle');
    t.clock.advance(HOUR);
    expect(await propose(t, remove)).toBe('waiting');
    expect(t.runs).toHaveLength(2);
  });

  it('[RULE11] a waiting call isn’t released by a rule that has ended, and a rule that was tried out doesn’t revive one', async () => {
    const t = await openAt2026([RULE]);
    t.clock.advance(HOUR);
    expect(await propose(t, remove)).toBe('waiting');
    await t.world.setPolicy([RULE, 'allow other']);
    expect(await t.chat.settled()).toBe('waiting');
    expect(t.runs).toEqual([]);
  });
});
