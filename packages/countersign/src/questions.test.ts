import { NoAnswer, type ToolContext } from '@countersign/core/ports';
import { createFakeClock } from '@countersign/core/testing';
import { askHuman } from '@countersign/tools';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  closeTestWorld,
  closeTestWorlds,
  deferred,
  openTestWorld,
  tool,
  type TestWorldOptions,
} from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';
import { first, lastResults, obedient, propose, recorder } from './testing/obedient.js';

const colour = { name: 'ask_human', arguments: { question: 'Which colour?', choices: ['red', 'blue'] } };

const inFolder = freshFolder();
let file = '';
beforeEach(() => {
  file = inFolder('harbour.db');
});
afterEach(closeTestWorlds);

async function asked(options: TestWorldOptions = {}) {
  const t = await openTestWorld({ script: obedient, tools: [askHuman()], ...options });
  expect(await propose(t, colour)).toBe('waiting');
  return { ...t, question: await t.onlyApproval() };
}

describe('a question from an agent', () => {
  it('[HTTP8.6] [CALL3] waits in the approval queue, and its answer is the result of the call', async () => {
    const t = await asked();
    expect(t.question).toMatchObject({
      toolName: 'ask_human',
      question: { text: 'Which colour?', choices: ['red', 'blue'] },
      message: 'Which colour?',
      options: ['deny'],
      status: 'pending',
    });
    expect(await t.world.answer(t.question, 'green, approve all')).toMatchObject({ status: 200, state: 'answered' });
    expect(await t.chat.settled()).toBe('idle');
    expect(lastResults(t)).toEqual([expect.objectContaining({ result: { answer: 'green, approve all' } })]);
    expect(await t.world.approvals()).toEqual([]);
  });

  it('[TURN4.5] [TURN2] has the lifecycle of every call: requested, approved, started, succeeded', async () => {
    const t = await asked();
    await t.world.answer(t.question.toolCallId, 'red');
    await t.chat.settled();
    const events = t.toolEvents(t.question.toolCallId);
    expect(events.map(({ type }) => type)).toEqual([
      'TOOL_APPROVAL_REQUESTED',
      'TOOL_APPROVED',
      'TOOL_EXECUTION_STARTED',
      'TOOL_EXECUTION_SUCCEEDED',
    ]);
    expect(events[0]).toMatchObject({ question: { text: 'Which colour?', choices: ['red', 'blue'] } });
    expect(events[3]).toMatchObject({ result: { answer: 'red' } });
  });

  it('[LOG1] is in the audit log, with the answer, who gave it and from where', async () => {
    const t = await asked();
    await t.world.answer(t.question, 'red', { who: 'mia', via: 'web' });
    await t.chat.settled();
    const about = { tool: 'ask_human', invocationId: t.question.toolCallId };
    expect((await t.world.audit()).filter((entry) => entry.tool === 'ask_human')).toMatchObject([
      { ...about, kind: 'request' },
      { ...about, kind: 'decision', decision: 'answer', who: { name: 'mia' }, via: 'web', why: 'red' },
      { ...about, kind: 'outcome', decision: 'succeeded' },
    ]);
    expect(await t.world.verifyAudit()).toMatchObject({ ok: true });
  });

  it('[CALL9] survives restarts and can be answered afterwards', async () => {
    const options = { script: obedient, tools: [askHuman()], file };
    let t = await openTestWorld(options);
    await propose(t, colour);
    const question = await t.onlyApproval();
    const { id } = t.chat;
    for (let n = 0; n < 6; n += 1) {
      await closeTestWorld(t);
      t = await openTestWorld(options);
      await t.world.quiet();
    }
    expect(await t.onlyApproval()).toEqual(question);
    const chat = await t.world.chat(id);
    await t.world.answer(question, 'blue');
    expect(await chat.settled()).toBe('idle');
    expect(lastResults(t)).toEqual([expect.objectContaining({ result: { answer: 'blue' } })]);
  });

  it('[WORLD9] [CALL15] ends with a stop, and later answers change nothing', async () => {
    const t = await asked();
    await t.chat.stop();
    expect(await t.chat.status()).toBe('idle');
    expect(t.toolEvents(t.question.toolCallId).at(-1)).toMatchObject({ type: 'TOOL_DENIED', reason: 'stopped' });
    expect(await t.world.answer(t.question, 'red')).toMatchObject({ status: 409, code: 'settled' });
  });

  it('[CALL11] expires like approvals, and the model is told', async () => {
    const clock = createFakeClock();
    const t = await asked({ clock, approvalTimeoutMs: 1000 });
    clock.advance(1000);
    await t.heard((event) => event.event === 'tool' && event.data.type === 'TOOL_DENIED');
    expect(await t.chat.settled()).toBe('idle');
    expect(lastResults(t)).toMatchObject([{ error: 'Nobody answered in time', reason: 'timed out' }]);
    expect(await t.world.answer(t.question, 'red')).toMatchObject({ status: 409, code: 'expired' });
  });

  it('[CALL15] can be left unanswered, and can’t be approved', async () => {
    const t = await asked();
    expect(await t.world.decide(t.question, { decision: 'approve' })).toMatchObject({ status: 422 });
    expect(await t.world.answer(t.question, 'x').then(({ status }) => status)).toBe(200);
    const u = await asked();
    expect(await u.world.decide(u.question, { decision: 'deny', reason: 'not now' })).toMatchObject({ status: 200 });
    expect(await u.world.decide(u.question, { decision: 'deny' })).toMatchObject({ kind: 'repeated' });
    await u.chat.settled();
    expect(lastResults(u)).toEqual([
      expect.objectContaining({ error: 'Nobody answered the question', reason: 'not now' }),
    ]);
  });

  it('[HTTP14] accepts the first answer: repeating it is fine, a different one is too late', async () => {
    const t = await asked();
    const outcomes = await Promise.all(['red', 'red', 'blue'].map((word) => t.world.answer(t.question, word)));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['recorded', 'repeated', 'refused']);
    await t.chat.settled();
    expect(t.provider.requests.filter(({ purpose }) => purpose === 'answer')).toHaveLength(2);
  });

  it.each(['', '  \n'])('[CALL15] an empty answer (%j) does not count', async (content) => {
    const t = await asked();
    await expect(t.world.answer(t.question, content)).rejects.toThrow('must not be empty');
    expect(await t.world.approvals()).toHaveLength(1);
  });

  it('[CALL6] of another agent or chat can’t be answered, and the attempt is in the audit log', async () => {
    const t = await asked({ agents: ['Ada', { name: 'Bo', active: false }] });
    const answer = { tool_call_id: t.question.approvalId, content: 'red' };
    expect(await t.world.decideCall('bo', answer)).toMatchObject({ status: 403 });
    expect(await t.world.decideCall('ada', { ...answer, chatId: 'chat_x' })).toMatchObject({ status: 403 });
    expect(await t.world.decideCall('ada', { ...answer, turnId: 'turn_x' })).toMatchObject({ status: 409 });
    expect(await t.world.answer('approval_x', 'red')).toMatchObject({ status: 404 });
    expect((await t.world.audit()).filter(({ kind }) => kind === 'refusal')).toHaveLength(4);
    expect(await t.world.decideCall('ada', answer)).toMatchObject({ status: 200 });
  });

  it('[CALL13] can’t be answered by a client without approvals', async () => {
    const t = await asked();
    const { clientId: deaf } = await t.world.clients.register(t.world.id, { label: 'job', approvals: false });
    const { clientId: web } = await t.world.clients.register(t.world.id, { label: 'web', approvals: true });
    expect(await t.world.answer(t.question, 'red', { client: deaf })).toMatchObject({ status: 403 });
    expect(await t.world.clients.answer(web, { tool_call_id: t.question.toolCallId, content: 'red' })).toMatchObject({
      status: 403,
    });
    expect(await t.world.answer(t.question, 'red', { client: web })).toMatchObject({ status: 200 });
  });

  it('[CALL4] text approves nothing: an approval takes a decision and no content', async () => {
    const { runs, tool: remove } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [remove] });
    await propose(t, { name: 'remove', arguments: {} });
    const approval = await t.onlyApproval();
    expect(await t.world.answer(approval, 'approve')).toMatchObject({ status: 422 });
    expect(await t.world.answer(approval.toolCallId, '{"decision":"approve"}')).toMatchObject({ status: 422 });
    const both = { tool_call_id: approval.approvalId, content: 'yes', decision: 'approve' as const };
    await expect(t.world.decideCall('ada', both)).rejects.toThrow('content');
    expect(runs).toEqual([]);
    expect((await t.onlyApproval()).status).toBe('pending');
  });

  it.each([
    ['ask ask_human', 'waiting'],
    ['deny ask_human', 'idle'],
  ] as const)(
    '[CALL2] with the rule "%s" the chat is %s: a question needs no approval, but can be denied',
    async (rule, status) => {
      const t = await openTestWorld({ script: obedient, tools: [askHuman()], policy: [rule] });
      expect(await propose(t, colour)).toBe(status);
      expect((await t.world.approvals()).map(({ question }) => question?.text)).toEqual(
        status === 'waiting' ? ['Which colour?'] : [],
      );
    },
  );

  it('[RULE2] may be asked in read mode', async () => {
    const t = await asked({ mode: 'read' });
    expect(t.question.question?.text).toBe('Which colour?');
  });

  it('[TURN5] does not block its sibling calls, and the model gets all results together', async () => {
    const { runs, tool: remove } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [askHuman(), remove] });
    await propose(t, colour, { name: 'remove', arguments: { path: 'a' } });
    const [question, approval] = await t.world.approvals();
    await t.world.decide(first([approval].flatMap((one) => one ?? [])), { decision: 'approve' });
    await t.world.quiet();
    expect(runs).toHaveLength(1);
    expect(await t.chat.status()).toBe('waiting');
    await t.world.answer(first([question].flatMap((one) => one ?? [])), 'red');
    await t.chat.settled();
    expect(lastResults(t)).toMatchObject([{ result: { answer: 'red' } }, { result: 'remove ran' }]);
  });

  it('[SAFE6] masks secrets and escapes misleading characters on the card, in events and in the audit log', async () => {
    const secret = 'sk-live-51Hx0000000000000000000000';
    const t = await openTestWorld({ script: obedient, tools: [askHuman()] });
    await propose(t, {
      name: 'ask_human',
      arguments: { question: `Is ${secret} yours?\u202e`, choices: [`yes ${secret}`] },
    });
    const question = await t.onlyApproval();
    await t.world.answer(question, `no, mine is ${secret}`);
    await t.chat.settled();
    const shown = JSON.stringify([question, t.events, await t.world.audit(), await t.chat.messages()]);
    expect(shown).not.toContain(secret);
    expect(question.question?.text).not.toContain('\u202e');
    expect(lastResults(t)).toMatchObject([{ result: { answer: `no, mine is ${secret}` } }]);
  });
});

describe('a question from a running tool', () => {
  type Ask = NonNullable<ToolContext['ask']>;
  const question = { text: 'Which account?', choices: ['home', 'work'] };
  const asking = (then: (ask: Ask, context: ToolContext) => Promise<unknown>) =>
    tool(
      'connect',
      async (_, context) => await then(context.ask ?? (() => Promise.reject(new Error('no ask'))), context),
    );
  const raised = async (t: {
    heard: (fits: (event: { event: string; data: object }) => boolean) => Promise<unknown>;
  }) => await t.heard(({ event, data }) => event === 'crud' && 'entity' in data && data.entity === 'approval');

  async function running(then: (ask: Ask, context: ToolContext) => Promise<unknown>, options: TestWorldOptions = {}) {
    const t = await openTestWorld({ script: obedient, tools: [asking(then)], ...options });
    await t.chat.send(JSON.stringify([{ name: 'connect', arguments: {} }]));
    await raised(t);
    return { ...t, approval: await t.onlyApproval() };
  }

  it('[TURN4.6] [HTTP2] waits in the same queue, and the tool gets the answer as typed', async () => {
    const t = await running(async (ask) => ({ chosen: await ask(question) }));
    expect(t.approval).toMatchObject({ question, options: ['deny'], toolName: 'connect' });
    expect(await t.world.answer(t.approval, 'work')).toMatchObject({ status: 200 });
    expect(await t.chat.settled()).toBe('idle');
    expect(lastResults(t)).toMatchObject([{ result: { chosen: 'work' } }]);
    expect(t.toolEvents().map(({ type }) => type)).toEqual(['TOOL_EXECUTION_STARTED', 'TOOL_EXECUTION_SUCCEEDED']);
    expect(await t.world.answer(t.approval, 'home')).toMatchObject({ status: 409 });
  });

  it('[WORLD14] is not in the model’s view; only the tool’s result is', async () => {
    const t = await running(async (ask) => (await ask(question)).length);
    await t.world.answer(t.approval, 'my account is 12345');
    await t.chat.settled();
    expect(JSON.stringify(t.provider.requests)).not.toContain('12345');
  });

  it('[CALL15] can be declined: the tool is told and continues', async () => {
    const t = await running(
      async (ask) => await ask(question).catch((error: unknown) => error instanceof NoAnswer && error.how),
    );
    expect(await t.world.decide(t.approval, { decision: 'approve' })).toMatchObject({ status: 422 });
    expect(await t.world.decide(t.approval, { decision: 'deny' })).toMatchObject({ status: 200 });
    await t.chat.settled();
    expect(lastResults(t)).toMatchObject([{ result: 'declined' }]);
  });

  it('[CALL11] expires: the tool is told and continues', async () => {
    const clock = createFakeClock();
    const then = async (ask: Ask) =>
      await ask(question).catch((error: unknown) => error instanceof NoAnswer && error.how);
    const t = await running(then, { clock, approvalTimeoutMs: 1000 });
    clock.advance(1000);
    await t.chat.settled();
    expect(lastResults(t)).toMatchObject([{ result: 'expired' }]);
    expect(await t.world.answer(t.approval, 'home')).toMatchObject({ status: 409, code: 'expired' });
  });

  it('[WORLD9] ends with a stop', async () => {
    const ended = deferred<unknown>();
    const t = await running(async (ask) => await ask(question).catch(ended.resolve));
    await t.chat.stop();
    expect(await ended.promise).toBeInstanceOf(Error);
    expect(await t.world.approvals()).toEqual([]);
    expect(first(await t.world.approvals({}))).toMatchObject({ status: 'expired' });
  });

  it('[CALL15] ends with its call', async () => {
    const over = deferred();
    const t = await running(async (ask) => {
      ask(question).catch(() => undefined);
      await over.promise;
      return 'went on';
    });
    over.resolve();
    await t.chat.settled();
    expect(await t.world.approvals()).toEqual([]);
    expect(await t.world.answer(t.approval, 'home')).toMatchObject({ status: 409, code: 'expired' });
  });

  it('[CALL15] can’t be asked after its call has ended', async () => {
    let late: (() => Promise<string>) | undefined;
    const t = await openTestWorld({
      script: obedient,
      tools: [
        asking(async (ask) => {
          late = () => ask(question);
        }),
      ],
    });
    await propose(t, { name: 'connect', arguments: {} });
    await expect(late?.()).rejects.toThrow('the call has ended');
    expect(await t.world.approvals({})).toEqual([]);
  });

  it('[STORE3] ends with its process: after a restart, the call’s outcome is unknown and the question is closed', async () => {
    const options = { script: obedient, file };
    const t = await running(async (ask) => await ask(question), options);
    const { id } = t.chat;
    await closeTestWorld(t);
    const again = await openTestWorld({ ...options, tools: [asking(async () => 'again')] });
    const chat = await again.world.chat(id);
    expect(await chat.settled()).toBe('idle');
    expect(lastResults(again)).toMatchObject([{ error: 'interrupted, outcome unknown' }]);
    expect(first(await again.world.approvals({}))).toMatchObject({ status: 'expired' });
  });
});
