import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from './index.js';
import { closeTestWorlds, gated, openTestWorld, tool } from './testing/fixture.js';
import { about, first, lastResults, obedient, propose, recorder } from './testing/obedient.js';

afterEach(closeTestWorlds);

async function asked(path = 'a') {
  const { runs, tool: remove } = recorder();
  const t = await openTestWorld({ script: obedient, tools: [remove], agents: ['Ada', 'Bob'] });
  await t.world.update({ mainAgent: 'ada' });
  await propose(t, { name: 'remove', arguments: { path } });
  return { ...t, runs, approval: await t.onlyApproval() };
}

describe('answering', () => {
  it('[CALL4.3] stores the decision as a tool message under the approval, and the result as a second one under the call', async () => {
    const t = await asked();
    await t.world.decide(t.approval, { decision: 'approve', reason: 'tidy' });
    await t.chat.settled();
    const tools = (await t.chat.messages()).filter(({ role }) => role === 'tool');
    expect(tools.map((message) => message.tool_call_id)).toEqual([t.approval.approvalId, t.approval.toolCallId]);
    expect(JSON.parse(first(tools).content)).toMatchObject({ decision: 'approve', scope: 'once', reason: 'tidy' });
    expect(JSON.parse(tools[1]?.content ?? '')).toEqual({ result: 'remove ran' });
  });

  it('[CALL4.1] accepts the id of the approval or of the call', async () => {
    for (const id of ['approvalId', 'toolCallId'] as const) {
      const t = await asked();
      expect(await t.world.decideCall('ada', { tool_call_id: t.approval[id], decision: 'approve' })).toEqual({
        kind: 'recorded',
        status: 200,
        invocationId: t.approval.toolCallId,
        state: 'approved',
      });
      expect(await t.chat.settled()).toBe('idle');
      expect(t.runs).toEqual([{ path: 'a' }]);
    }
  });

  it('[CALL4.1] [HTTP14] a stale callHash or turnId is refused and changes nothing, and the right one still works', async () => {
    const t = await asked();
    const id = { tool_call_id: t.approval.approvalId, decision: 'approve' } as const;
    for (const stale of [{ callHash: 'f'.repeat(64) }, { callHash: '' }, { turnId: 'turn_of_yesterday.1' }]) {
      expect(await t.world.decideCall('ada', { ...id, ...stale })).toMatchObject({
        kind: 'refused',
        status: 409,
        code: 'changed',
        state: 'asked',
      });
    }
    expect(t.runs).toEqual([]);
    expect(await t.onlyApproval()).toEqual(t.approval);
    const { callHash, turnId, chatId } = t.approval;
    expect(await t.world.decideCall('ada', { ...id, callHash, turnId, chatId })).toMatchObject({ status: 200 });
    await t.chat.settled();
    expect(t.runs).toHaveLength(1);
  });

  it('[CALL5.7] a denial tells the model who denied the call and why, and is not remembered', async () => {
    const t = await asked();
    await t.world.decide(t.approval, { decision: 'deny', reason: 'keep it' });
    expect(await t.chat.settled()).toBe('idle');
    expect(lastResults(t)).toEqual([{ error: 'User denied approval for remove', reason: 'keep it' }]);
    expect(await propose(t, { name: 'remove', arguments: { path: 'a' } })).toBe('waiting');
    expect(await t.world.grants()).toEqual([]);
    expect(await t.world.policy()).toEqual([]);
    expect(t.runs).toEqual([]);
  });

  it('[CALL5.1] "once" applies to one invocation: the same call needs approval again', async () => {
    const t = await asked();
    await t.world.decide(t.approval, { decision: 'approve' });
    await t.chat.settled();
    expect(await propose(t, { name: 'remove', arguments: { path: 'a' } })).toBe('waiting');
    expect(t.runs).toHaveLength(1);
  });
});

describe('ownership', () => {
  it('[CALL6] [HTTP14] a decision that names another agent or chat gets 403, changes nothing and is in the audit log', async () => {
    const t = await asked();
    const other = await t.world.chat();
    const id = { tool_call_id: t.approval.approvalId, decision: 'approve' } as const;
    const before = (await t.world.audit()).length;
    expect(await t.world.decideCall('bob', id, { who: 'eve' })).toMatchObject({ status: 403, code: 'foreign' });
    expect(await t.world.decideCall('nobody', id)).toMatchObject({ status: 403 });
    expect(await t.world.decideCall('ada', { ...id, chatId: other.id })).toMatchObject({ status: 403 });
    expect(await t.world.decideCall('bob', { ...id, arguments: { path: '‹masked 9›' } })).toMatchObject({
      status: 403,
      detail: expect.not.stringContaining('masked') as unknown,
    });
    expect(t.runs).toEqual([]);
    expect(await t.onlyApproval()).toEqual(t.approval);
    const refusals = (await t.world.audit({ after: before })).map(({ kind, who }) => [kind, who?.name]);
    expect(refusals).toEqual([
      ['refusal', 'eve'],
      ['refusal', 'program'],
      ['refusal', 'program'],
      ['refusal', 'program'],
    ]);
  });

  it('[HTTP14] an unknown id gets 404 and is in the audit log', async () => {
    const t = await asked();
    for (const tool_call_id of ['approval_0', 'call_0', '../', 'remove', t.approval.approvalId.toUpperCase()]) {
      expect(await t.world.decideCall('ada', { tool_call_id, decision: 'approve' })).toMatchObject({
        status: 404,
        code: 'unknown',
      });
    }
    expect((await t.world.audit()).filter(({ kind }) => kind === 'refusal')).toHaveLength(5);
    expect(t.runs).toEqual([]);
  });

  it('[HTTP14] the vendor’s id decides nothing', async () => {
    const { runs, tool: remove } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [remove] });
    await propose(t, { name: 'remove', id: 'toolu_1' });
    expect(await t.world.decide('toolu_1', { decision: 'approve' })).toMatchObject({ status: 404 });
    expect(runs).toEqual([]);
  });
});

describe('one decision, one run', () => {
  it('[CALL8] [HTTP14] an approval sent three times concurrently runs the tool once (four frameworks ran it three times)', async () => {
    const t = await asked();
    const outcomes = await Promise.all([1, 2, 3].map(() => t.world.decide(t.approval, { decision: 'approve' })));
    await t.chat.settled();
    await t.world.quiet();
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['recorded', 'repeated', 'repeated']);
    expect(outcomes.every(({ status }) => status === 200)).toBe(true);
    expect(t.runs).toEqual([{ path: 'a' }]);
    expect(t.toolEvents().filter(({ type }) => type === 'TOOL_EXECUTION_STARTED')).toHaveLength(1);
    expect(t.provider.requests).toHaveLength(2);
  });

  it('[CALL8] resending a decision does not run the call again: by approval or call id, while it runs or after it ended', async () => {
    let finish: (value: string) => void = () => undefined;
    const ran: unknown[] = [];
    const slow = gated('slow', (args) => {
      ran.push(args);
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    const t = await openTestWorld({ script: obedient, tools: [slow] });
    await propose(t, { name: 'slow' });
    const approval = await t.onlyApproval();
    await t.world.decide(approval, { decision: 'approve' });
    await t.heard((event) => event.event === 'tool' && event.data.type === 'TOOL_EXECUTION_STARTED');
    expect(await t.world.decide(approval, { decision: 'approve' })).toMatchObject({
      kind: 'repeated',
      state: 'started',
    });
    expect(await t.world.decide(approval.toolCallId, { decision: 'approve' })).toMatchObject({ kind: 'repeated' });
    finish('ok');
    await t.chat.settled();
    expect(await t.world.decide(approval, { decision: 'approve', reason: 'again' })).toMatchObject({
      kind: 'repeated',
      status: 200,
      state: 'succeeded',
    });
    await t.world.quiet();
    expect(ran).toHaveLength(1);
    expect(t.provider.requests).toHaveLength(2);
  });

  it('[HTTP14] a changed decision gets 409 with the current state, whether it approves or denies', async () => {
    const t = await asked();
    await t.world.decide(t.approval, { decision: 'approve' });
    await t.chat.settled();
    expect(await t.world.decide(t.approval, { decision: 'deny' })).toMatchObject({
      status: 409,
      code: 'settled',
      state: 'succeeded',
    });
    expect(await t.world.decide(t.approval, { decision: 'approve', scope: 'session' })).toMatchObject({ status: 409 });
    expect(await t.world.grants()).toEqual([]);

    const denied = await asked();
    await denied.world.decide(denied.approval, { decision: 'deny' });
    await denied.chat.settled();
    expect(await denied.world.decide(denied.approval, { decision: 'approve' })).toMatchObject({
      status: 409,
      state: 'denied',
    });
    expect(await denied.world.decide(denied.approval, { decision: 'deny' })).toMatchObject({ kind: 'repeated' });
    await denied.world.quiet();
    expect(denied.runs).toEqual([]);
  });

  it('[CALL8] of a concurrent approval and denial, one counts, and the record matches what the tool did', async () => {
    const t = await asked();
    const [yes, no] = await Promise.all([
      t.world.decide(t.approval, { decision: 'approve' }),
      t.world.decide(t.approval, { decision: 'deny' }),
    ]);
    await t.chat.settled();
    expect([yes.kind, no.kind].toSorted()).toEqual(['recorded', 'refused']);
    expect(t.runs).toHaveLength(yes.kind === 'recorded' ? 1 : 0);
    const settled = first(await t.world.approvals({}));
    expect(settled.status).toBe(yes.kind === 'recorded' ? 'approved' : 'denied');
  });

  it('[CALL8] [TURN5] approve A and deny B in one turn: A runs, B does not, and the model gets both in call order', async () => {
    const { runs, tool: remove } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [remove] });
    await propose(t, { name: 'remove', arguments: { path: 'a' } }, { name: 'remove', arguments: { path: 'b' } });
    const approvals = await t.world.approvals();
    const [yes, no] = await Promise.all([
      t.world.decide(about(approvals, 'a'), { decision: 'approve' }),
      t.world.decide(about(approvals, 'b'), { decision: 'deny', reason: 'not b' }),
    ]);
    expect([yes.status, no.status]).toEqual([200, 200]);
    expect(await t.chat.settled()).toBe('idle');
    expect(runs).toEqual([{ path: 'a' }]);
    expect(lastResults(t)).toEqual([
      { result: 'remove ran' },
      { error: 'User denied approval for remove', reason: 'not b' },
    ]);
    expect(t.provider.requests).toHaveLength(2);
  });

  it('[CALL8] an approved call is not lost if its sibling is denied first, and a denial is shown before a slow sibling ends', async () => {
    let finish: (value: string) => void = () => undefined;
    const slow = gated('slow', () => new Promise((resolve) => (finish = resolve)));
    const { runs, tool: remove } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [slow, remove] });
    await propose(t, { name: 'slow' }, { name: 'remove', arguments: { path: 'b' } });
    const [one, two] = await t.world.approvals();
    if (one === undefined || two === undefined) throw new Error('two were to be asked');
    await t.world.decide(one, { decision: 'approve' });
    await t.heard((event) => event.event === 'tool' && event.data.type === 'TOOL_EXECUTION_STARTED');
    await t.world.decide(two, { decision: 'deny' });
    expect(t.toolEvents(two.toolCallId).at(-1)?.type).toBe('TOOL_DENIED');
    expect(t.toolEvents(one.toolCallId).at(-1)?.type).toBe('TOOL_EXECUTION_STARTED');
    finish('slow ran');
    await t.chat.settled();
    expect(lastResults(t)).toEqual([
      { result: 'slow ran' },
      expect.objectContaining({ error: expect.anything() as unknown }),
    ]);
    expect(runs).toEqual([]);
  });

  it('[CALL6] a decision on a call that ran without approval changes nothing', async () => {
    const ran: unknown[] = [];
    const t = await openTestWorld({ script: obedient, tools: [tool('look', async (args) => ran.push(args))] });
    await propose(t, { name: 'look' });
    const call = first(t.toolEvents()).invocation_id;
    expect(await t.world.decide(call, { decision: 'approve' })).toMatchObject({ status: 409, state: 'succeeded' });
    await t.world.quiet();
    expect(ran).toHaveLength(1);
  });

  it('[CALL8] a decision on a stopped call gets 409 and runs nothing', async () => {
    const t = await asked();
    await t.chat.stop();
    expect(await t.world.decide(t.approval, { decision: 'approve' })).toMatchObject({ status: 409, state: 'denied' });
    await t.world.quiet();
    expect(t.runs).toEqual([]);
    expect(first(await t.world.approvals({}))).toMatchObject({ status: 'denied' });
  });

  it('[CALL8] deciding while the chat is stopped never both runs and denies', async () => {
    const t = await asked();
    await Promise.all([t.chat.stop(), t.world.decide(t.approval, { decision: 'approve' })]);
    await t.world.quiet();
    const ends = t.toolEvents().map(({ type }) => type);
    expect(ends.filter((type) => /DENIED|SUCCEEDED|FAILED/.test(type))).toHaveLength(1);
    expect(t.runs).toHaveLength(ends.includes('TOOL_EXECUTION_STARTED') ? 1 : 0);
    expect(ends.includes('TOOL_EXECUTION_STARTED') && ends.includes('TOOL_DENIED')).toBe(false);
  });
});

describe('no default approves', () => {
  it('[CALL15] empty, unknown and misspelled decisions are refused and leave the approval pending', async () => {
    const t = await asked();
    const id = t.approval.approvalId;
    const garbage: unknown[] = [
      undefined,
      null,
      '',
      'approve',
      {},
      [],
      { tool_call_id: id },
      { tool_call_id: id, decision: '' },
      { tool_call_id: id, decision: null },
      { tool_call_id: id, decision: true },
      { tool_call_id: id, decision: 'yes' },
      { tool_call_id: id, decision: 'Approve' },
      { tool_call_id: id, decision: 'approve_once' },
      { tool_call_id: id, decision: ['approve'] },
      { tool_call_id: '', decision: 'approve' },
      { tool_call_id: [id], decision: 'approve' },
      { tool_call_id: id, decision: 'approve', scope: 'forever' },
      { tool_call_id: id, decision: 'approve', scope: null },
      { tool_call_id: id, decision: 'approve', scopee: 'once' },
      { tool_call_id: id, decision: 'approve', arguments: 'path=b' },
      { tool_call_id: id, decision: 'approve', arguments: ['b'] },
      { tool_call_id: id, decision: 'approve', callHash: 7 },
    ];
    for (const input of garbage) {
      // Input from the network has no type.
      const sent = input as Parameters<typeof t.world.decideCall>[1];
      await expect(t.world.decideCall('ada', sent)).rejects.toMatchObject({ code: 'invalid' });
    }
    expect(await t.onlyApproval()).toEqual(t.approval);
    expect(t.runs).toEqual([]);
  });

  it('[CALL15] approving without a scope means once, and is refused if once is not offered', async () => {
    const { runs, tool: remove } = recorder('remove', { approval: { required: true, options: ['approve_session'] } });
    const t = await openTestWorld({ script: obedient, tools: [remove] });
    await propose(t, { name: 'remove' });
    const approval = await t.onlyApproval();
    expect(await t.world.decide(approval, { decision: 'approve' })).toMatchObject({ status: 422, code: 'invalid' });
    expect(runs).toEqual([]);
    expect((await t.onlyApproval()).status).toBe('pending');
  });

  it('[CALL15] a denial with fields of an approval is refused as ambiguous', async () => {
    const t = await asked();
    for (const extra of [
      { scope: 'session' },
      { scope: 'always' },
      { arguments: {} },
      { pattern: 'path=a' },
      { rule: 'allow remove' },
    ] as const) {
      expect(await t.world.decide(t.approval, { decision: 'deny', ...extra })).toMatchObject({ status: 422 });
    }
    expect((await t.onlyApproval()).status).toBe('pending');
  });

  it('[CALL15] the first option on every card is deny', async () => {
    const t = await asked();
    expect(t.approval.options[0]).toBe('deny');
  });
});

describe('edited arguments', () => {
  async function askedTyped(args: Record<string, unknown>, policy: string[] = []) {
    const runs: unknown[] = [];
    const remove = defineTool({
      name: 'remove',
      description: 'removes',
      parameters: z.strictObject({ path: z.string().min(1), password: z.string().optional() }),
      approval: { required: true },
      execute: (given) => {
        runs.push(given);
        return 'gone';
      },
    });
    const t = await openTestWorld({ script: obedient, tools: [remove], policy });
    await propose(t, { name: 'remove', arguments: args });
    return { ...t, runs, approval: await t.onlyApproval() };
  }

  it('[CALL7.4] an edited call is shown again and runs once it is approved, and the model is told what actually ran', async () => {
    const t = await askedTyped({ path: '/' });
    const edited = await t.edit({ path: 'a.tmp' });
    expect(await t.chat.settled()).toBe('waiting');
    expect(t.runs).toEqual([]);
    expect(edited).toMatchObject({ toolCallId: t.approval.toolCallId, arguments: { path: 'a.tmp' } });
    await t.world.decide(edited, { decision: 'approve' });
    expect(await t.chat.settled()).toBe('idle');
    expect(t.runs).toEqual([{ path: 'a.tmp' }]);
    const [first, ...later] = t
      .toolEvents(t.approval.toolCallId)
      .map((event) => 'arguments' in event && event.arguments);
    expect(first).toEqual({ path: '/' });
    expect(later).toEqual([{ path: 'a.tmp' }, { path: 'a.tmp' }, { path: 'a.tmp' }, false]);
    expect(lastResults(t)).toEqual([{ result: { edited_by_person: { path: 'a.tmp' }, result: 'gone' } }]);
    const [edit, decision] = (await t.world.audit()).filter(({ kind }) => kind === 'decision');
    expect(edit).toMatchObject({ decision: 'edit', arguments: { path: 'a.tmp' } });
    expect(decision).toMatchObject({ decision: 'approve', arguments: { path: 'a.tmp' }, edited: true });
    expect(decision).not.toHaveProperty('why');
  });

  it('[CALL7.4] a call is shown again if a rule allows it as it was edited, and no other rule releases it', async () => {
    const t = await askedTyped({ path: 'a' }, ['allow remove(path=tmp/**)']);
    const edited = await t.edit({ path: 'tmp/a' });
    expect(edited).toMatchObject({ reason: { code: 'edited' }, options: ['deny', 'approve_once'] });
    await t.world.setPolicy(['allow remove(path=*)']);
    expect(await t.chat.settled()).toBe('waiting');
    expect(t.runs).toEqual([]);
    await t.world.decide(edited, { decision: 'approve' });
    await t.chat.settled();
    expect(t.runs).toEqual([{ path: 'tmp/a' }]);
  });

  it('[CALL7.4] [CHANGE6.9] an edit of a call with a preview is shown again with its own preview before it can be signed', async () => {
    const runs: unknown[] = [];
    const write = {
      ...gated('write', async (args) => runs.push(args)),
      preview: async (args: unknown) => `overwrites ${JSON.stringify(args)}`,
    };
    const t = await openTestWorld({ script: obedient, tools: [write] });
    await propose(t, { name: 'write', arguments: { path: 'new' } });
    const edited = await t.world.decide(await t.onlyApproval(), { decision: 'approve', arguments: { path: 'old' } });
    expect(edited).toMatchObject({ status: 409, code: 'changed' });
    expect(runs).toEqual([]);
    const shown = await t.onlyApproval();
    expect(shown).toMatchObject({ arguments: { path: 'old' }, preview: { text: 'overwrites {"path":"old"}' } });
    await t.world.decide(shown, { decision: 'approve' });
    await t.chat.settled();
    expect(runs).toEqual([{ path: 'old' }]);
  });

  it('[CALL7.5] arguments that change nothing get 422, so that an edit never runs a call', async () => {
    const t = await askedTyped({ path: 'a' });
    expect(await t.world.decide(t.approval, { decision: 'approve', arguments: { path: 'a' } })).toMatchObject({
      status: 422,
      detail: 'Nothing was changed. To approve the call, send the decision without arguments',
    });
    expect(t.runs).toEqual([]);
    expect(await t.onlyApproval()).toEqual(t.approval);
  });

  it('[CALL7.4] an edit that doesn’t match the schema gets 422 and leaves the approval pending', async () => {
    const t = await askedTyped({ path: 'a' });
    for (const edit of [{}, { path: 7 }, { path: '' }, { path: 'a', more: true }]) {
      expect(await t.world.decide(t.approval, { decision: 'approve', arguments: edit })).toMatchObject({
        status: 422,
        detail: expect.stringContaining('The edited call is not valid: ') as unknown,
      });
    }
    expect(t.runs).toEqual([]);
    expect(await t.onlyApproval()).toEqual(t.approval);
  });

  it('[CALL7.4] [CALL2] an edit that results in a denied call gets 422', async () => {
    const t = await askedTyped({ path: 'a' }, ['deny remove(path=/etc/**)']);
    expect(await t.world.decide(t.approval, { decision: 'approve', arguments: { path: '/etc/passwd' } })).toMatchObject(
      { status: 422, detail: expect.stringContaining('denies') as unknown },
    );
    expect(t.runs).toEqual([]);
  });

  it('[CALL7.4] [SAFE6.5] a mask that is sent back is replaced with its value; an unknown mask gets 422', async () => {
    const t = await askedTyped({ path: 'a', password: 'hunter2-secret' });
    expect(t.approval.arguments).toEqual({ path: 'a', password: 'hu‹masked 1: 10 characters›et' });
    expect(
      await t.world.decide(t.approval, {
        decision: 'approve',
        arguments: { path: 'b', password: '‹masked 2: 10 characters›' },
      }),
    ).toMatchObject({ status: 422, detail: expect.stringContaining('‹masked 2: 10 characters›') as unknown });
    const edited = await t.edit({ path: 'b', password: 'hu‹masked 1: 10 characters›et' });
    await t.world.decide(edited, { decision: 'approve' });
    await t.chat.settled();
    expect(t.runs).toEqual([{ path: 'b', password: 'hunter2-secret' }]);
    expect(JSON.stringify(t.events)).not.toContain('hunter2-secret');
    expect(JSON.stringify(await t.chat.messages())).not.toContain('hunter2-secret');
  });

  it('[CALL7.4] [CALL8] the same edit sent three times concurrently asks once, and the old approval is void', async () => {
    const t = await askedTyped({ path: 'a' });
    const edit = { decision: 'approve', arguments: { path: 'b' } } as const;
    const outcomes = await Promise.all([1, 2, 3].map(() => t.world.decide(t.approval, edit)));
    expect(outcomes).toMatchObject([1, 2, 3].map(() => ({ status: 409, code: 'changed', state: 'asked' })));
    for (const more of [{ arguments: { path: 'c' } }, {}])
      expect(await t.world.decide(t.approval, { decision: 'approve', ...more })).toMatchObject({ status: 409 });
    await t.world.decide(await t.onlyApproval(), { decision: 'approve' });
    await t.chat.settled();
    expect(t.runs).toEqual([{ path: 'b' }]);
  });

  it('[CALL7] keys such as __proto__ are ordinary arguments and don’t change what runs', async () => {
    const { runs, tool: remove } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [remove] });
    await propose(t, { name: 'remove', arguments: '{"__proto__":{"path":"/"},"path":"a","path":"b"}' });
    const approval = await t.onlyApproval();
    await t.world.decide(approval, { decision: 'approve' });
    await t.chat.settled();
    const ran = first(runs);
    expect(ran['path']).toBe('b');
    expect(JSON.stringify(approval.arguments)).toBe(JSON.stringify(ran));
  });
});
