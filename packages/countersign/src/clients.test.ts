import { CLIENT_GRACE_MS } from '@countersign/core';
import { createFakeClock } from '@countersign/core/testing';
import { describe, expect, it } from 'vitest';
import { closeTestWorld, openTestWorld, type TestWorld, type TestWorldOptions } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';
import { first, lastResults, obedient, propose } from './testing/obedient.js';

const inFolder = freshFolder();

const pick = {
  name: 'pick',
  description: 'lets the person pick a colour',
  parameters: { type: 'object', properties: { from: { type: 'string' } }, required: ['from'] },
};

async function withClient(options: TestWorldOptions = {}) {
  const clock = createFakeClock();
  const t = await openTestWorld({ script: obedient, clock, ...options });
  const client = await t.world.clients.register(t.world.id, { label: 'Editor', approvals: true, tools: [pick] });
  await t.world.clients.connected(client.clientId);
  return { ...t, clock, client, toolName: first(client.tools) };
}

async function forwarded(options: TestWorldOptions = {}) {
  const t = await withClient(options);
  await propose(t, { name: t.toolName, arguments: { from: 'red, blue' } });
  const approval = await t.onlyApproval();
  await t.world.decide(approval, { decision: 'approve' });
  await t.heard((event) => event.event === 'tool' && event.data.type === 'TOOL_EXECUTION_STARTED');
  await t.world.quiet();
  return { ...t, call: approval.toolCallId };
}

const lastType = (t: TestWorld, call: string) => t.toolEvents(call).at(-1)?.type;

describe('a client’s tool', () => {
  it('[CALL16] is named after its client, offered to agents and needs approval by default, whatever it declares', async () => {
    const clock = createFakeClock();
    const t = await openTestWorld({ script: obedient, clock });
    const { tools } = await t.world.clients.register(t.world.id, {
      label: 'My Editor!',
      approvals: true,
      tools: [{ ...pick, readOnly: true, approval: { required: false } }],
    });
    expect(tools).toEqual([expect.stringMatching(/^app__my-editor-[a-z0-9]+__pick$/)]);
    expect(await propose(t, { name: first(tools), arguments: { from: 'red' } })).toBe('waiting');
    expect(t.provider.requests[0]?.tools.map(({ name }) => name)).toEqual(tools);
  });

  it('[CALL16] is forwarded only to its client, once, with the real arguments, after approval', async () => {
    const t = await withClient();
    const other = await t.world.clients.register(t.world.id, { label: 'Editor', approvals: true, tools: [pick] });
    expect(first(other.tools)).not.toBe(t.toolName);
    await propose(t, { name: t.toolName, arguments: { from: 'red', password: 'hunter2-secret' } });
    expect(await t.world.clients.pending(t.client.clientId)).toEqual([]);
    const approval = await t.onlyApproval();
    await Promise.all([1, 2, 3].map(() => t.world.decide(approval, { decision: 'approve' })));
    await t.world.quiet();
    const pending = await t.world.clients.pending(t.client.clientId);
    expect(pending.map(({ id, arguments: text }) => [id, JSON.parse(text) as unknown])).toEqual([
      [approval.toolCallId, { from: 'red', password: 'hunter2-secret' }],
    ]);
    expect(await t.world.clients.pending(other.clientId)).toEqual([]);
    expect(t.toolEvents().filter(({ type }) => type === 'TOOL_EXECUTION_STARTED')).toHaveLength(1);
    expect(await t.chat.status()).toBe('waiting');
  });

  it.each([
    ['after decision', 'There is no tool'],
    ['before start-invocation', 'disconnected before it answered'],
  ])(
    '[CALL16.1] of a client that leaves %s fails with an error, and the turn does not wait for it',
    async (when, words) => {
      let leaves = (): void => undefined;
      const t = await withClient({
        probe: (moment) => {
          if (moment === when) leaves();
        },
      });
      await t.world.clients.disconnected(t.client.clientId);
      await propose(t, { name: t.toolName, arguments: { from: 'red' } });
      leaves = () => t.clock.advance(CLIENT_GRACE_MS);
      await t.world.decide(await t.onlyApproval(), { decision: 'approve' });
      await t.heard((event) => event.event === 'crud' && event.data.operation === 'delete');
      expect(await t.chat.settled()).toBe('idle');
      expect(lastResults(t)).toEqual([{ error: expect.stringContaining(words) as unknown }]);
    },
  );

  it('[CALL16] [CALL16.2] sends its result to the model, and a second result changes nothing', async () => {
    const t = await forwarded();
    const answer = { tool_call_id: t.call, content: 'red' };
    expect(await t.world.clients.answer(t.client.clientId, answer)).toMatchObject({ kind: 'recorded', status: 200 });
    expect(await t.chat.settled()).toBe('idle');
    expect(lastResults(t)).toEqual([{ result: 'red' }]);
    expect(await t.world.clients.answer(t.client.clientId, { ...answer, content: 'blue' })).toMatchObject({
      status: 409,
      state: 'succeeded',
    });
    const again = { kind: 'recorded', status: 200, invocationId: t.call, state: 'succeeded' };
    expect(await t.world.clients.answer(t.client.clientId, answer)).toEqual(again);
    const failed = { tool_call_id: t.call, error: 'red' };
    expect(await t.world.clients.answer(t.client.clientId, failed)).toMatchObject({ status: 409 });
    await t.world.quiet();
    expect(t.provider.requests).toHaveLength(2);
    expect(await t.world.clients.pending(t.client.clientId)).toEqual([]);
  });

  it('[CALL16] an error of the client, such as an unknown tool, fails the call with its message', async () => {
    const t = await forwarded();
    await t.world.clients.answer(t.client.clientId, { tool_call_id: t.call, error: 'I know no such tool' });
    expect(await t.chat.settled()).toBe('idle');
    expect(lastResults(t)).toEqual([{ error: 'I know no such tool' }]);
    expect(lastType(t, t.call)).toBe('TOOL_EXECUTION_FAILED');
  });

  it('[CALL16] only its owner may answer, and only calls that were forwarded to it', async () => {
    const t = await forwarded();
    const other = await t.world.clients.register(t.world.id, { label: 'Editor', approvals: true, tools: [pick] });
    const answer = { tool_call_id: t.call, content: 'blue' };
    expect(await t.world.clients.answer(other.clientId, answer)).toMatchObject({ status: 403, code: 'foreign' });
    expect(await t.world.clients.answer('client_of_nobody', answer)).toMatchObject({ status: 403 });
    expect(await t.world.clients.answer(t.client.clientId, { ...answer, tool_call_id: 'call_0' })).toMatchObject({
      status: 404,
    });
    expect(lastType(t, t.call)).toBe('TOOL_EXECUTION_STARTED');
  });

  it('[CALL16] [CALL8] a client can’t answer before the approval, and can’t run its own call', async () => {
    const t = await withClient();
    await propose(t, { name: t.toolName, arguments: { from: 'red' } });
    const approval = await t.onlyApproval();
    const answer = { tool_call_id: approval.toolCallId, content: 'red' };
    expect(await t.world.clients.answer(t.client.clientId, answer)).toMatchObject({ status: 409, state: 'asked' });
    expect(
      await t.world.clients.answer(t.client.clientId, { ...answer, tool_call_id: approval.approvalId }),
    ).toMatchObject({ status: 404 });
    expect(await t.onlyApproval()).toEqual(approval);
  });

  it('[CALL16] an answer with both a result and an error, with neither, or with an invalid shape is refused', async () => {
    const t = await forwarded();
    for (const answer of [{}, { content: 7 }, { content: 'a', error: 'b' }, { error: '' }, { contents: 'a' }]) {
      const sent = { tool_call_id: t.call, ...answer } as Parameters<typeof t.world.clients.answer>[1];
      await expect(t.world.clients.answer(t.client.clientId, sent)).rejects.toMatchObject({ code: 'invalid' });
    }
    expect(lastType(t, t.call)).toBe('TOOL_EXECUTION_STARTED');
  });

  it('[CALL16] the secret of a client is known only to that client', async () => {
    const t = await withClient();
    const other = await t.world.clients.register(t.world.id, { label: 'Editor', approvals: true });
    const found = async (secret: string) => (await t.world.clients.find(t.world.id, secret))?.id;
    expect(await found(t.client.clientSecret)).toBe(t.client.clientId);
    expect(await found(other.clientSecret)).toBe(other.clientId);
    expect(await found('a secret of nobody')).toBeUndefined();
    expect(JSON.stringify(t.events)).not.toContain(t.client.clientSecret);
  });
});

describe('a client that loses its connection', () => {
  it('[CALL16.1] for less than 30 s has not left: its call waits and it may still answer', async () => {
    const t = await forwarded();
    await t.world.clients.disconnected(t.client.clientId);
    t.clock.advance(CLIENT_GRACE_MS - 1);
    await t.world.clients.connected(t.client.clientId);
    t.clock.advance(10 * CLIENT_GRACE_MS);
    await t.world.quiet();
    expect(lastType(t, t.call)).toBe('TOOL_EXECUTION_STARTED');
    await t.world.clients.answer(t.client.clientId, { tool_call_id: t.call, content: 'red' });
    expect(await t.chat.settled()).toBe('idle');
    expect(lastResults(t)).toEqual([{ result: 'red' }]);
  });

  it('[CALL16.1] for longer fails its call with an error, and its tools are removed', async () => {
    const t = await forwarded();
    await t.world.clients.disconnected(t.client.clientId);
    t.clock.advance(CLIENT_GRACE_MS);
    await t.heard((event) => event.event === 'tool' && event.data.type === 'TOOL_EXECUTION_FAILED');
    expect(await t.chat.settled()).toBe('idle');
    expect(lastResults(t)).toEqual([{ error: 'the client "Editor" disconnected before it answered' }]);
    await t.heard(
      (event) => event.event === 'crud' && event.data.entity === 'client' && event.data.operation === 'delete',
    );
    expect(await t.world.clients.answer(t.client.clientId, { tool_call_id: t.call, content: 'red' })).toMatchObject({
      kind: 'refused',
    });
    await propose(t, { name: t.toolName, arguments: { from: 'red' } });
    expect(lastResults(t)).toEqual([{ error: expect.stringContaining('no tool named') as unknown }]);
  });

  it('[CALL16] before the approval makes approving fail with an error', async () => {
    const t = await withClient();
    await propose(t, { name: t.toolName, arguments: { from: 'red' } });
    const approval = await t.onlyApproval();
    await t.world.clients.disconnected(t.client.clientId);
    t.clock.advance(CLIENT_GRACE_MS);
    await t.heard(
      (event) => event.event === 'crud' && event.data.entity === 'client' && event.data.operation === 'delete',
    );
    await t.world.decide(approval, { decision: 'approve' });
    expect(await t.chat.settled()).toBe('idle');
    expect(lastType(t, approval.toolCallId)).toBe('TOOL_EXECUTION_FAILED');
  });

  it('[CALL16] a grant for its tool does not apply to another client’s tool with the same label', async () => {
    const t = await withClient();
    await propose(t, { name: t.toolName, arguments: { from: 'red' } });
    await t.world.decide(await t.onlyApproval(), { decision: 'approve', scope: 'session' });
    await t.world.quiet();
    const again = await t.world.clients.register(t.world.id, { label: 'Editor', approvals: true, tools: [pick] });
    const chat = await t.world.chat();
    expect(await propose({ chat }, { name: first(again.tools), arguments: { from: 'red' } })).toBe('waiting');
    expect(await t.world.approvals({ status: 'pending', chatId: chat.id })).toHaveLength(1);
  });
});

describe('a client of a world that is deleted', () => {
  it.each([true, false])('[CALL16.1] leaves without an error (its stream still open: %s)', async (isOpen) => {
    const t = await withClient();
    if (!isOpen) await t.world.clients.disconnected(t.client.clientId);
    await t.world.delete();
    if (isOpen) await t.world.clients.disconnected(t.client.clientId);
    t.clock.advance(CLIENT_GRACE_MS);
    await expect.poll(() => t.world.clients.pending(t.client.clientId)).toEqual([]);
    await closeTestWorld(t);
    expect(t.errors).toEqual([]);
  });
});

describe('a restart with a forwarded call', () => {
  it('[CALL16] [CALL9] the client returns with its secret and answers', async () => {
    const file = inFolder('harbour.db');
    const t = await forwarded({ file });
    await closeTestWorld(t);
    const again = await openTestWorld({ script: obedient, clock: t.clock, file });
    const found = await again.world.clients.find(again.world.id, t.client.clientSecret);
    expect(found?.id).toBe(t.client.clientId);
    await again.world.clients.connected(t.client.clientId);
    t.clock.advance(2 * CLIENT_GRACE_MS);
    expect((await again.world.clients.pending(t.client.clientId)).map(({ id }) => id)).toEqual([t.call]);
    await again.world.clients.answer(t.client.clientId, { tool_call_id: t.call, content: 'red' });
    const chat = await again.world.chat(t.chat.id);
    expect(await chat.settled()).toBe('idle');
    expect(lastResults(again)).toEqual([{ result: 'red' }]);
    expect(again.toolEvents(t.call).map(({ type }) => type)).toEqual(['TOOL_EXECUTION_SUCCEEDED']);
  });

  it('[CALL16.1] the client does not return: after 30 s the call fails with an error', async () => {
    const file = inFolder('harbour.db');
    const t = await forwarded({ file });
    await closeTestWorld(t);
    const again = await openTestWorld({ script: obedient, clock: t.clock, file });
    const chat = await again.world.chat(t.chat.id);
    expect(await chat.status()).toBe('waiting');
    t.clock.advance(CLIENT_GRACE_MS);
    await again.heard((event) => event.event === 'tool' && event.data.type === 'TOOL_EXECUTION_FAILED');
    expect(await chat.settled()).toBe('idle');
    expect(lastResults(again)).toEqual([{ error: 'the client "Editor" disconnected before it answered' }]);
  });
});
