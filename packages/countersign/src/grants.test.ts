import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock } from '@countersign/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import {
  closeTestWorld,
  closeTestWorlds,
  deferred,
  openTestWorld,
  tool,
  type TestWorldOptions,
} from './testing/fixture.js';
import { first, obedient, propose, recorder, remove } from './testing/obedient.js';

const HOUR = 3_600_000;
afterEach(closeTestWorlds);

async function granted(options: TestWorldOptions & { pattern?: string } = {}) {
  const { pattern = '*', ...more } = options;
  const { runs, tool: removing } = recorder();
  const clock = createFakeClock();
  const t = await openTestWorld({ script: obedient, clock, ...more, tools: [removing, ...(more.tools ?? [])] });
  await propose(t, remove('a'));
  const outcome = await t.world.decide(
    await t.onlyApproval(),
    { decision: 'approve', scope: 'session', pattern },
    { who: 'meg' },
  );
  await t.chat.settled();
  return { ...t, runs, clock, outcome, tool: removing };
}

describe('a session grant', () => {
  it('[CALL5.2] with the pattern * covers every further call of this tool by this agent in this chat', async () => {
    const t = await granted();
    expect(await propose(t, remove('b'), remove('c'))).toBe('idle');
    expect(t.runs).toEqual([{ path: 'a' }, { path: 'b' }, { path: 'c' }]);
    expect(await t.world.grants()).toEqual([
      expect.objectContaining({
        agentId: 'ada',
        chatId: t.chat.id,
        toolName: 'remove',
        scope: 'session',
        grantedBy: { kind: 'person', id: 'meg', name: 'meg' },
      }),
    ]);
  });

  it('[CALL5.2] without a pattern covers only calls with the same arguments, as the card says', async () => {
    const { tool: removing, runs } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [removing] });
    await propose(t, remove('a'));
    const approval = await t.onlyApproval();
    expect(approval.session).toEqual({ pattern: 'path=a', any: true });
    await t.world.decide(approval, { decision: 'approve', scope: 'session' });
    await t.chat.settled();
    expect(first(await t.world.grants()).pattern).toBe('path=a');
    expect(await propose(t, remove('a'))).toBe('idle');
    expect(await propose(t, remove('b'))).toBe('waiting');
    expect(runs).toEqual([{ path: 'a' }, { path: 'a' }]);
  });

  it('[CALL5.2] with a pattern covers matching calls and no others', async () => {
    const t = await granted({ pattern: 'path=a*' });
    expect(await propose(t, remove('abc'))).toBe('idle');
    expect(await propose(t, remove('b'))).toBe('waiting');
    expect(first(await t.world.grants()).pattern).toBe('path=a*');
    expect(t.runs).toEqual([{ path: 'a' }, { path: 'abc' }]);
  });

  it('[CALL5.2] a pattern that doesn’t match this call, is invalid or has another scope gets 422', async () => {
    const { tool: removing, runs } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [removing] });
    await propose(t, remove('a'));
    const approval = await t.onlyApproval();
    for (const pattern of ['path=b', '(', 'path=a extra', '\u200bpath=a']) {
      expect(await t.world.decide(approval, { decision: 'approve', scope: 'session', pattern })).toMatchObject({
        status: 422,
        detail: expect.stringContaining('pattern') as unknown,
      });
    }
    expect(await t.world.decide(approval, { decision: 'approve', scope: 'once', pattern: 'path=a' })).toMatchObject({
      status: 422,
    });
    expect(await t.world.grants()).toEqual([]);
    expect(runs).toEqual([]);
    expect(await t.onlyApproval()).toEqual(approval);
  });

  it('[CALL5.2] does not apply to another agent', async () => {
    const t = await granted({ agents: ['Ada'] });
    await t.world.addAgent({ name: 'Bob', provider: 'scripted', model: 'any', tools: ['*'] });
    await t.world.update({ mainAgent: 'bob' });
    expect(await propose(t, remove('b'))).toBe('waiting');
    expect((await t.onlyApproval()).agentId).toBe('bob');
    expect(t.runs).toHaveLength(1);
  });

  it('[CALL5.2] does not apply to another chat or tool', async () => {
    const { runs, tool: other } = recorder('rename');
    const t = await granted({ tools: [other] });
    expect(await propose({ chat: await t.world.chat() }, remove('b'))).toBe('waiting');
    expect(await propose(t, { name: 'rename' })).toBe('waiting');
    expect([...t.runs, ...runs]).toEqual([{ path: 'a' }]);
  });

  it('[CALL5.2] ends with its chat', async () => {
    const t = await granted();
    await t.chat.delete();
    expect(await t.world.grants()).toEqual([]);
  });

  it('[CALL5.2] expires after 12 hours without use', async () => {
    const t = await granted();
    t.clock.advance(12 * HOUR - 1);
    expect(await propose(t, remove('b'))).toBe('idle');
    t.clock.advance(12 * HOUR - 1);
    expect(await propose(t, remove('c'))).toBe('idle');
    t.clock.advance(12 * HOUR);
    expect(await propose(t, remove('d'))).toBe('waiting');
    expect(t.runs.map(({ path }) => path)).toEqual(['a', 'b', 'c']);
  });

  it('[CALL5.2] is not listed after it expired', async () => {
    const t = await granted();
    t.clock.advance(12 * HOUR);
    expect(await t.world.grants()).toEqual([]);
  });

  it('[CALL2.1] that expires or is revoked between the approval and the start makes the call need approval', async () => {
    const gate = deferred();
    const slow = tool('slow', () => gate.promise);
    const t = await granted({ tools: [slow] });
    await t.chat.send(JSON.stringify([{ name: 'slow' }, remove('b')]));
    await t.heard((event) => event.event === 'tool' && event.data.tool_name === 'slow');
    expect(await t.world.revoke(first(await t.world.grants()).grantId)).toBe(true);
    gate.resolve();
    expect(await t.chat.settled()).toBe('waiting');
    expect((await t.onlyApproval()).arguments).toEqual({ path: 'b' });
    expect(t.runs).toEqual([{ path: 'a' }]);
  });

  it('[CALL14] revoking takes effect from the next call, once, and is in the audit log', async () => {
    const t = await granted();
    const { grantId } = first(await t.world.grants());
    expect(await t.world.revoke(grantId)).toBe(true);
    expect(await t.world.revoke(grantId)).toBe(false);
    expect(await t.world.revoke('grant_of_nobody')).toBe(false);
    expect(await propose(t, remove('a'))).toBe('waiting');
    expect(t.runs).toHaveLength(1);
    expect(await t.world.grants()).toEqual([]);
    expect((await t.world.audit()).filter(({ kind }) => kind === 'grant')).toEqual([
      expect.objectContaining({ decision: 'revoked', tool: 'remove', agentId: 'ada', chatId: t.chat.id }),
    ]);
  });

  it('[CALL9] [CALL5.2] survives a restart with its last use, and so does its revocation', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-'));
    try {
      const file = join(folder, 'harbour.db');
      const t = await granted({ file });
      const before = await t.world.grants();
      await closeTestWorld(t);
      const again = await openTestWorld({ script: obedient, clock: t.clock, file, tools: [t.tool] });
      expect(await again.world.grants()).toEqual(before);
      const chat = await again.world.chat(t.chat.id);
      expect(await propose({ chat }, remove('b'))).toBe('idle');
      await again.world.revoke(first(before).grantId);
      await closeTestWorld(again);
      const third = await openTestWorld({ script: obedient, clock: t.clock, file, tools: [t.tool] });
      expect(await third.world.grants()).toEqual([]);
      expect(await propose({ chat: await third.world.chat(t.chat.id) }, remove('c'))).toBe('waiting');
      expect(t.runs.map(({ path }) => path)).toEqual(['a', 'b']);
    } finally {
      await closeTestWorlds();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('[CALL5] [SAFE6] overrides a rule that contains a secret, but not another rule that looks the same when masked', async () => {
    const { runs, tool: removing } = recorder();
    const secret = 'sk-live-1234567890abcdef';
    const call = (path: string) => ({ name: 'remove', arguments: { path, token: secret } });
    const t = await openTestWorld({ script: obedient, tools: [removing], policy: [`ask remove(* token=${secret})`] });
    await propose(t, call('a'));
    const card = await t.onlyApproval();
    expect(card.session).toEqual({ any: true });
    expect(await t.world.decide(card, { decision: 'approve', scope: 'session' })).toMatchObject({ status: 422 });
    await t.world.decide(card, { decision: 'approve', scope: 'session', pattern: '*' });
    await t.chat.settled();
    expect(await propose(t, call('b'))).toBe('idle');
    await t.world.setPolicy(['ask remove(* token=sk-live-*)']);
    expect(await propose(t, call('c'))).toBe('waiting');
    expect(runs.map(({ path }) => path)).toEqual(['a', 'b']);
    const asked = (await t.chat.messages()).flatMap(({ tool_calls }) => tool_calls ?? []);
    expect(JSON.stringify(asked.filter(({ id }) => id.startsWith('approval')))).not.toContain(secret);
  });

  it('[CALL5.2] two concurrent session approvals grant no more than each of them alone', async () => {
    const { runs, tool: removing } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [removing] });
    await propose(t, remove('a'), remove('b'));
    await Promise.all(
      (await t.world.approvals()).map((approval) =>
        t.world.decide(approval, { decision: 'approve', scope: 'session', pattern: 'path=*' }),
      ),
    );
    await t.chat.settled();
    expect(runs).toHaveLength(2);
    expect(await propose(t, { name: 'remove', arguments: { path: 'c', force: true } })).toBe('waiting');
  });

  it('[CALL17.4] [CALL5.2] an agent that takes the name of a removed one does not get its grants', async () => {
    const t = await granted();
    await t.world.removeAgent('ada');
    const heir = await t.world.addAgent({ name: 'Ada', provider: 'scripted', model: 'any', tools: ['*'] });
    expect(heir.id).not.toBe('ada');
    expect(await propose(t, remove('b'))).toBe('waiting');
    expect((await t.onlyApproval()).agentId).toBe(heir.id);
    expect(t.runs).toHaveLength(1);
  });

  it('[CALL5.2] a session grant does not require byte-identical arguments (a bug in other frameworks)', async () => {
    const t = await granted();
    expect(await propose(t, { name: 'remove', arguments: '{ "path" : "a" , "why":"" }' })).toBe('idle');
    expect(t.runs).toHaveLength(2);
  });
});

describe('an explicit ask rule', () => {
  it('[CALL2] [CALL5] requires approval despite an earlier grant; a grant given for that rule overrides it', async () => {
    const t = await granted();
    await t.world.setPolicy(['ask remove(path=b)']);
    expect(await propose(t, remove('a'))).toBe('idle');
    expect(await propose(t, remove('b'))).toBe('waiting');
    const approval = await t.onlyApproval();
    expect(approval.why).toContain('ask remove(path=b)');
    // An allow rule has no effect next to an ask rule, so it is not offered.
    expect(approval.options).toEqual(['deny', 'approve_once', 'approve_session']);
    expect(
      await t.world.decide(approval, { decision: 'approve', scope: 'always', rule: 'allow remove(path=b)' }),
    ).toMatchObject({ status: 422 });
    await t.world.decide(approval, { decision: 'approve', scope: 'session' });
    await t.chat.settled();
    expect(await propose(t, remove('b'))).toBe('idle');
    await t.world.setPolicy(['ask remove(path=*)']);
    expect(await propose(t, remove('b'))).toBe('waiting');
    expect(t.runs.map(({ path }) => path)).toEqual(['a', 'a', 'b', 'b']);
  });

  it('[CALL2] beats an allow rule: nothing runs without approval', async () => {
    const { runs, tool: removing } = recorder();
    const t = await openTestWorld({
      script: obedient,
      tools: [removing],
      policy: ['allow remove', 'ask remove(path=b)'],
    });
    expect(await propose(t, remove('a'))).toBe('idle');
    expect(await propose(t, remove('b'))).toBe('waiting');
    expect(runs).toEqual([{ path: 'a' }]);
  });
});
