import { afterEach, describe, expect, it } from 'vitest';
import { closeTestWorlds, deferred, openTestWorld, tool, type TestWorldOptions } from './testing/fixture.js';
import { first, lastResults, obedient, propose, recorder, remove } from './testing/obedient.js';

afterEach(closeTestWorlds);

async function open(options: TestWorldOptions = {}) {
  const { runs, tool: removing } = recorder();
  const t = await openTestWorld({ script: obedient, ...options, tools: [removing, ...(options.tools ?? [])] });
  return { ...t, runs };
}

describe('the order of the gate', () => {
  it('[CALL2] deny beats a grant, an allow rule and a tool that needs no approval', async () => {
    const { runs, tool: free } = recorder('free', { approval: { required: false } });
    const t = await open({ policy: ['allow remove', 'deny remove(path=b)', 'deny free'], tools: [free] });
    expect(await propose(t, remove('b'), { name: 'free' })).toBe('idle');
    expect([...t.runs, ...runs]).toEqual([]);
    expect(t.toolEvents().map(({ type }) => type)).toEqual(['TOOL_DENIED', 'TOOL_DENIED']);
    expect(lastResults(t)[0]).toMatchObject({ reason: expect.stringContaining('deny remove(path=b)') as unknown });
  });

  it('[CALL2.1] a deny rule added after the approval refuses the call when it starts', async () => {
    const gate = deferred();
    const t = await open({ tools: [tool('slow', () => gate.promise)] });
    await t.chat.send(JSON.stringify([{ name: 'slow' }, remove('a')]));
    await t.heard((event) => event.event === 'tool' && event.data.type === 'TOOL_EXECUTION_STARTED');
    await t.world.decide(await t.onlyApproval(), { decision: 'approve' });
    await t.world.setPolicy(['deny remove']);
    gate.resolve();
    expect(await t.chat.settled()).toBe('idle');
    expect(t.runs).toEqual([]);
    expect(t.toolEvents().at(-1)).toMatchObject({
      type: 'TOOL_DENIED',
      reason: expect.stringContaining('deny remove') as unknown,
    });
    const refusal = (await t.world.audit()).findLast(({ kind }) => kind === 'refusal');
    expect(refusal).toMatchObject({ tool: 'remove', rule: 'deny remove' });
  });

  it('[CALL2.1] an allow rule removed between the approval and the start requires approval', async () => {
    const gate = deferred();
    const t = await open({ tools: [tool('slow', () => gate.promise)], policy: ['allow remove'] });
    await t.chat.send(JSON.stringify([{ name: 'slow' }, remove('a')]));
    await t.heard((event) => event.event === 'tool' && event.data.type === 'TOOL_EXECUTION_STARTED');
    await t.world.setPolicy([]);
    gate.resolve();
    expect(await t.chat.settled()).toBe('waiting');
    expect(t.runs).toEqual([]);
    await t.world.decide(await t.onlyApproval(), { decision: 'approve' });
    await t.chat.settled();
    expect(t.runs).toEqual([{ path: 'a' }]);
  });

  it('[CALL2.1] a tool removed from the agent after the approval does not run', async () => {
    const gate = deferred();
    const t = await open({ tools: [tool('slow', () => gate.promise)] });
    await t.chat.send(JSON.stringify([{ name: 'slow' }, remove('a')]));
    await t.heard((event) => event.event === 'tool' && event.data.type === 'TOOL_EXECUTION_STARTED');
    await t.world.decide(await t.onlyApproval(), { decision: 'approve', scope: 'session', pattern: '*' });
    await t.world.updateAgent('ada', { tools: ['slow'] });
    gate.resolve();
    expect(await t.chat.settled()).toBe('idle');
    expect(t.runs).toEqual([]);
  });

  it('[CALL2] an agent can only use its own tools', async () => {
    const t = await open({ agents: [{ name: 'Ada', tools: ['look_*'] }], policy: ['allow *'] });
    expect(await propose(t, remove('a'))).toBe('idle');
    expect(t.runs).toEqual([]);
    expect(t.provider.requests[0]?.tools).toEqual([]);
  });

  it('[CALL2] read mode runs only read-only tools, whatever grants, rules or approvals say', async () => {
    const looked: unknown[] = [];
    const look = tool('look', async (args) => looked.push(args), { readOnly: true });
    const t = await open({ tools: [look, { ...tool('far', async () => 1, { readOnly: true }), trusted: false }] });
    await propose(t, remove('a'));
    await t.world.decide(await t.onlyApproval(), { decision: 'approve', scope: 'session', pattern: '*' });
    await t.chat.settled();
    await t.world.setPolicy(['allow *']);
    await t.world.update({ mode: 'read' });
    expect(await propose(t, remove('b'), { name: 'look' }, { name: 'far' })).toBe('idle');
    expect(t.runs).toEqual([{ path: 'a' }]);
    expect(looked).toHaveLength(1);
    expect(lastResults(t)).toEqual([
      expect.objectContaining({ reason: expect.stringContaining('read mode') as unknown }),
      { result: 1 },
      expect.objectContaining({ reason: expect.stringContaining('read mode') as unknown }),
    ]);
  });

  it('[CALL2.1] a world set to read mode after the approval refuses the call when it starts', async () => {
    const t = await open();
    await propose(t, remove('a'));
    const approval = await t.onlyApproval();
    await t.world.update({ mode: 'read' });
    await t.world.decide(approval, { decision: 'approve' });
    expect(await t.chat.settled()).toBe('idle');
    expect(t.runs).toEqual([]);
  });

  it('[CALL2] an agent’s own rules can deny and ask, never allow', async () => {
    const t = await open({ agents: [{ name: 'Ada', policy: ['allow remove', 'deny remove(path=b)'] }] });
    expect(await propose(t, remove('b'))).toBe('idle');
    expect(await propose(t, remove('a'))).toBe('waiting');
    expect(t.runs).toEqual([]);
  });
});

describe('always', () => {
  it('[CALL5.3] adds the proposed rule, which applies from the next call on, in every chat, and is in the audit log', async () => {
    const t = await open();
    await propose(t, remove('a'));
    const approval = await t.onlyApproval();
    expect(approval.proposedRule).toBe('allow remove(path=a)');
    await t.world.decide(approval, { decision: 'approve', scope: 'always' }, { who: 'meg', via: 'desk' });
    await t.chat.settled();
    expect(await t.world.policy()).toEqual(['allow remove(path=a)']);
    expect(await propose({ chat: await t.world.chat() }, remove('a'))).toBe('idle');
    expect(await propose(t, remove('b'))).toBe('waiting');
    expect(t.runs).toEqual([{ path: 'a' }, { path: 'a' }]);
    expect(await t.world.grants()).toEqual([]);
    expect((await t.world.audit()).find(({ kind, rule }) => kind === 'policy' && rule !== undefined)).toMatchObject({
      rule: 'allow remove(path=a)',
      decision: 'added',
      who: { name: 'meg' },
      via: 'desk',
      tool: 'remove',
      agentId: 'ada',
      chatId: t.chat.id,
    });
    const runs = (await t.world.audit()).filter(({ kind }) => kind === 'run');
    expect(runs.map(({ why, rule }) => [why, rule])).toEqual([
      ['decision', undefined],
      ['rule', 'allow remove(path=a)'],
    ]);
  });

  it('[CALL5.3] accepts a person’s own rule if it matches this call; otherwise it gets 422, and nothing is stored', async () => {
    const t = await open();
    await propose(t, remove('a'));
    const approval = await t.onlyApproval();
    for (const rule of [
      'allow remove(path=b)',
      'allow rename',
      'deny remove',
      'ask remove',
      'remove',
      'allow remove(',
      'allow remove\nallow *',
      'allow remove(path=a force=true)',
    ]) {
      expect(await t.world.decide(approval, { decision: 'approve', scope: 'always', rule })).toMatchObject({
        status: 422,
        detail: expect.stringContaining('rule') as unknown,
      });
    }
    expect(
      await t.world.decide(approval, { decision: 'approve', scope: 'session', rule: 'allow remove' }),
    ).toMatchObject({
      status: 422,
    });
    expect(await t.world.policy()).toEqual([]);
    expect(t.runs).toEqual([]);
    await t.world.decide(approval, { decision: 'approve', scope: 'always', rule: 'allow remove(path=*)' });
    await t.chat.settled();
    expect(await propose(t, remove('b'))).toBe('idle');
    expect(await t.world.policy()).toEqual(['allow remove(path=*)']);
  });

  it('[CALL5.3] with edited arguments, the old proposal is not added for the new call', async () => {
    const t = await open();
    await propose(t, remove('a'));
    const approval = await t.onlyApproval();
    const edit = { decision: 'approve', scope: 'always', arguments: { path: 'b' } } as const;
    expect(await t.world.decide(approval, edit)).toMatchObject({ status: 422 });
    expect(await t.world.decide(approval, { ...edit, rule: 'allow remove(path=b)' })).toMatchObject({ status: 422 });
    expect(await t.world.policy()).toEqual([]);
    const edited = await t.edit({ path: 'b' });
    expect(await t.world.decide(edited, { decision: 'approve', scope: 'always' })).toMatchObject({ status: 200 });
    expect(await t.world.policy()).toEqual(['allow remove(path=b)']);
    await t.chat.settled();
    expect(t.runs).toEqual([{ path: 'b' }]);
  });

  it('[CALL5.3] sent three times concurrently adds one rule and runs once', async () => {
    const t = await open();
    await propose(t, remove('a'));
    const approval = await t.onlyApproval();
    await Promise.all([1, 2, 3].map(() => t.world.decide(approval, { decision: 'approve', scope: 'always' })));
    await t.chat.settled();
    expect(await t.world.policy()).toEqual(['allow remove(path=a)']);
    expect(t.runs).toHaveLength(1);
  });

  it('[CALL5.3] is not offered if the rule would contain a secret, and such a rule is refused', async () => {
    const t = await open();
    await propose(t, remove('token=ghp_abcdefghijklmnopqrstuvwxyz0123456789'));
    const approval = await t.onlyApproval();
    expect(approval.options).toEqual(['deny', 'approve_once', 'approve_session']);
    expect(approval.proposedRule).toBeUndefined();
    const pattern = "'path=token=ghp_abcdefghijklmnopqrstuvwxyz0123456789'";
    expect(await t.world.decide(approval, { decision: 'approve', scope: 'session', pattern })).toMatchObject({
      status: 422,
    });
  });

  it('[CALL5.3] a star in an argument does not become a wildcard in the rule', async () => {
    const t = await open();
    await propose(t, remove('*'));
    await t.world.decide(await t.onlyApproval(), { decision: 'approve', scope: 'always' });
    await t.chat.settled();
    expect(first([...(await t.world.policy())])).not.toBe('allow remove(path=*)');
    expect(await propose(t, remove('b'))).toBe('waiting');
    expect(t.runs).toEqual([{ path: '*' }]);
  });
});
