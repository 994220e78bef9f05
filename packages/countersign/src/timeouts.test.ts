import type { Clock } from '@countersign/core/ports';
import { createFakeClock } from '@countersign/core/testing';
import { describe, expect, it } from 'vitest';
import { closeTestWorld, openTestWorld, type TestWorldOptions } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';
import { first, lastResults, obedient, propose, recorder, remove } from './testing/obedient.js';

const inFolder = freshFolder();

async function asked(options: TestWorldOptions = {}) {
  const { runs, tool } = recorder();
  const t = await openTestWorld({ script: obedient, tools: [tool], ...options });
  await propose(t, remove('a'));
  return { ...t, runs, tool, approval: await t.onlyApproval() };
}

/** A clock whose timers never fire; only its current time advances. */
function deafClock(): Clock & { advance(ms: number): void } {
  const clock = createFakeClock();
  return { ...clock, after: () => () => undefined };
}

describe('a check before a call', () => {
  it.each(['fingerprint', 'preview', 'inspect'] as const)(
    '[TURN11] that never ends (%s) fails the call with an error, and the chat continues',
    async (which) => {
      const clock = createFakeClock();
      const { runs, tool } = recorder();
      let looked = (): void => undefined;
      const looking = new Promise<void>((resolve) => (looked = resolve));
      const never = (): Promise<never> => {
        looked();
        return new Promise(() => undefined);
      };
      const t = await openTestWorld({ script: obedient, clock, tools: [{ ...tool, [which]: never }] });
      const proposed = propose(t, remove('a'));
      await looking;
      clock.advance(30_000);
      await proposed;
      expect(await t.chat.settled()).toBe('idle');
      expect(JSON.stringify(lastResults(t))).toContain('it took longer than 30 seconds');
      expect(runs).toEqual([]);
      await closeTestWorld(t);
    },
  );
});

describe('a deadline', () => {
  it('[CALL11] is off by default: after a year the approval is still pending', async () => {
    const clock = createFakeClock();
    const t = await asked({ clock });
    expect(t.approval).not.toHaveProperty('expiresAt');
    clock.advance(365 * 24 * 3_600_000);
    expect(await t.world.decide(t.approval, { decision: 'approve' })).toMatchObject({ status: 200 });
    await t.chat.settled();
    expect(t.runs).toHaveLength(1);
  });

  it('[CALL11] passes: the approval expires, the call is denied as timed out and the model is told', async () => {
    const clock = createFakeClock();
    const t = await asked({ clock, approvalTimeoutMs: 1000 });
    expect(Date.parse(t.approval.expiresAt ?? '') - Date.parse(t.approval.requestedAt)).toBe(1000);
    clock.advance(999);
    await t.world.quiet();
    expect((await t.onlyApproval()).status).toBe('pending');
    clock.advance(1);
    await t.heard((event) => event.event === 'tool' && event.data.type === 'TOOL_DENIED');
    expect(await t.chat.settled()).toBe('idle');
    expect(lastResults(t)).toEqual([expect.objectContaining({ reason: 'timed out' })]);
    expect(await t.world.approvals()).toEqual([]);
    expect(first(await t.world.approvals({}))).toMatchObject({ status: 'expired' });
    expect(await t.world.decide(t.approval, { decision: 'approve' })).toMatchObject({
      status: 409,
      code: 'expired',
      state: 'denied',
    });
    expect(await t.world.decide(t.approval, { decision: 'deny' })).toMatchObject({ status: 409, code: 'expired' });
    expect((await t.world.audit()).find(({ kind }) => kind === 'decision')).toMatchObject({
      decision: 'expired',
      who: { kind: 'system' },
      why: 'timed out',
    });
    expect(t.runs).toEqual([]);
  });

  it('[CALL11.1] a late decision gets 409 with the code expired even if the timer has not fired, and the model continues', async () => {
    const clock = deafClock();
    const t = await asked({ clock, approvalTimeoutMs: 1000 });
    clock.advance(1000);
    expect(await t.world.decide(t.approval, { decision: 'approve' })).toMatchObject({ status: 409, code: 'expired' });
    expect(await t.chat.settled()).toBe('idle');
    expect(t.runs).toEqual([]);
    expect(t.toolEvents().map(({ type }) => type)).toEqual(['TOOL_APPROVAL_REQUESTED', 'TOOL_DENIED']);
    expect(first(await t.world.approvals({}))).toMatchObject({ status: 'expired' });
  });

  it('[CALL11.1] allows a decision in its last millisecond', async () => {
    const clock = deafClock();
    const t = await asked({ clock, approvalTimeoutMs: 1000 });
    clock.advance(999);
    expect(await t.world.decide(t.approval, { decision: 'approve' })).toMatchObject({ status: 200 });
    await t.chat.settled();
    expect(t.runs).toHaveLength(1);
  });

  it('[CALL11] a call approved in time runs even if it starts later', async () => {
    const clock = createFakeClock();
    const t = await asked({ clock, approvalTimeoutMs: 1000 });
    const deciding = t.world.decide(t.approval, { decision: 'approve' });
    await deciding;
    clock.advance(10_000);
    await t.chat.settled();
    await t.world.quiet();
    expect(t.runs).toHaveLength(1);
    expect(first(await t.world.approvals({}))).toMatchObject({ status: 'approved' });
  });

  it('[CALL11] [CALL9] that passes while no process is running expires the approval after the restart, even for a late decision', async () => {
    for (const late of ['timer', 'decision'] as const) {
      const clock = createFakeClock();
      const file = inFolder(`${late}.db`);
      const t = await asked({ clock, approvalTimeoutMs: 1000, file });
      await closeTestWorld(t);
      clock.advance(5000);
      const still: Clock = { ...clock, after: () => () => undefined };
      const again = await openTestWorld({
        script: obedient,
        clock: late === 'timer' ? clock : still,
        file,
        tools: [t.tool],
      });
      const chat = await again.world.chat(t.chat.id);
      if (late === 'timer') {
        clock.advance(0);
        await again.heard((event) => event.event === 'tool' && event.data.type === 'TOOL_DENIED');
      }
      expect(await again.world.decide(t.approval, { decision: 'approve' })).toMatchObject({
        status: 409,
        code: 'expired',
      });
      expect(await chat.settled()).toBe('idle');
      expect(t.runs).toEqual([]);
      expect(first(await again.world.approvals({}))).toMatchObject({ status: 'expired' });
    }
  });

  it('[CALL11.1] of a decision and the deadline at the same moment, exactly one counts', async () => {
    const clock = createFakeClock();
    const t = await asked({ clock, approvalTimeoutMs: 1000 });
    clock.advance(999);
    const deciding = t.world.decide(t.approval, { decision: 'approve' });
    clock.advance(1);
    const outcome = await deciding;
    await t.chat.settled();
    await t.world.quiet();
    const ends = t.toolEvents().filter(({ type }) => /DENIED|SUCCEEDED|FAILED/.test(type));
    expect(ends).toHaveLength(1);
    expect(t.runs).toHaveLength(outcome.status === 200 ? 1 : 0);
  });
});
