import { afterEach, describe, expect, it } from 'vitest';
import { closeTestWorlds, deferred, gated, openTestWorld } from '../testing/fixture.js';
import { said } from '../testing/talk.js';

afterEach(closeTestWorlds);

describe('activity', () => {
  it('[WORLD8] a world reports when work starts, when it only waits for people, and when a chat is idle', async () => {
    const opened = await openTestWorld({
      script: [{ calls: [{ name: 'open' }] }, 'done'],
      tools: [gated('open', () => 'click')],
    });
    const activity = (): unknown[] =>
      opened.events.flatMap((e) => (e.event === 'world' ? [[e.data.type, e.data.pendingOperations]] : []));
    await opened.chat.send('go');
    expect(await opened.chat.settled()).toBe('waiting');
    expect(activity()).toEqual([
      ['working', 1],
      ['waiting', 0],
    ]);
    await opened.world.decide(await opened.onlyApproval(), { decision: 'approve' });
    expect(await opened.chat.settled()).toBe('idle');
    expect(activity().slice(2)).toEqual([
      ['working', 1],
      ['idle', 0],
    ]);
  });

  it('[WORLD8] work in one chat is counted and does not make another one busy', async () => {
    const busy = deferred();
    const opened = await openTestWorld({
      script: async ({ messages }) => {
        if (messages.at(-1)?.content === 'slow') await busy.promise;
        return 'ok';
      },
    });
    await opened.chat.send('slow');
    const other = await opened.world.chat();
    await other.send('quick');
    expect(await other.settled()).toBe('idle');
    expect(await opened.chat.status()).toBe('working');
    const idle = opened.events.find((e) => e.event === 'world' && e.data.type === 'idle');
    expect(idle).toMatchObject({ chatId: other.id, data: { pendingOperations: 1 } });
    busy.resolve();
    expect(await opened.chat.settled()).toBe('idle');
  });
});

describe('messages to a busy agent', () => {
  it('[WORLD11] a message during a turn neither replaces nor orphans the turn, and is answered after it', async () => {
    const opened = await openTestWorld({
      tools: [gated('open', () => 'click')],
      script: ({ messages }) => {
        const last = messages.at(-1);
        if (last?.role === 'tool') return 'opened';
        return last?.content === 'open it' ? { calls: [{ name: 'open' }] } : `re ${last?.content}`;
      },
    });
    await opened.chat.send('open it');
    await opened.chat.settled();
    await opened.chat.send('second');
    await opened.chat.send('third');
    await opened.world.quiet();
    expect(opened.provider.requests).toHaveLength(1);
    expect(await opened.world.approvals()).toHaveLength(1);
    await opened.world.decide(await opened.onlyApproval(), { decision: 'approve' });
    expect(await opened.chat.settled()).toBe('idle');
    expect(said(await opened.chat.messages()).filter((line) => line.startsWith('ada'))).toEqual([
      'ada: opened',
      'ada: re second',
      'ada: re third',
    ]);
    expect(opened.toolEvents().map((event) => event.type)).toEqual([
      'TOOL_APPROVAL_REQUESTED',
      'TOOL_APPROVED',
      'TOOL_EXECUTION_STARTED',
      'TOOL_EXECUTION_SUCCEEDED',
    ]);
  });

  it('[WORLD11] waiting agents don’t block others', async () => {
    const opened = await openTestWorld({
      agents: ['Ada', 'Bob'],
      tools: [gated('open', () => 'click')],
      script: ({ messages, model }) =>
        model === 'opens' && messages.at(-1)?.role !== 'tool' ? { calls: [{ name: 'open' }] } : 'here',
    });
    await opened.world.updateAgent('ada', { model: 'opens' });
    await opened.chat.send('both');
    expect(await opened.chat.settled()).toBe('waiting');
    await opened.chat.send('@Ada still there?');
    await opened.chat.send('@Bob and you?');
    await opened.heard(
      (e) => e.event === 'message' && e.data.agentId === 'bob' && e.data.replyToMessageId !== undefined,
    );
    await opened.world.quiet();
    expect(said(await opened.chat.messages()).filter((line) => line.startsWith('bob'))).toEqual([
      'bob: here',
      'bob: here',
    ]);
    expect(said(await opened.chat.messages()).filter((line) => line.startsWith('ada'))).toEqual([]);
  });

  it('[WORLD11] the chat is waiting, not working, while a message is queued behind a question to a person', async () => {
    const opened = await openTestWorld({
      tools: [gated('open', () => 'click')],
      script: ({ messages }) => (messages.at(-1)?.content === 'open' ? { calls: [{ name: 'open' }] } : 'ok'),
    });
    await opened.chat.send('open');
    expect(await opened.chat.settled()).toBe('waiting');
    await opened.chat.send('hello?');
    await opened.world.quiet();
    expect(await opened.chat.status()).toBe('waiting');
    await opened.world.decide(await opened.onlyApproval(), { decision: 'deny' });
    expect(await opened.chat.settled()).toBe('idle');
    expect(said(await opened.chat.messages()).at(-1)).toBe('ada: ok');
  });
});
