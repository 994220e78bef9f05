import { ProviderError } from '@countersign/core/ports';
import { createFakeClock, type ScriptedReply } from '@countersign/core/testing';
import { messageSchema, type Message, type WorldEvent } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { closeTestWorlds, door, gated, openTestWorld, tool, type TestWorld } from './testing/fixture.js';

afterEach(closeTestWorlds);

const said = (messages: readonly Message[]): string[] =>
  messages.filter(({ role, content }) => role !== 'tool' && content !== '').map((m) => `${m.sender}: ${m.content}`);
const notices = (events: readonly WorldEvent[]): string[] =>
  events.flatMap((event) => (event.event === 'system' ? [event.data.message] : []));

/** Sends, waits, and tells who said what. */
async function talk({ chat }: Pick<TestWorld, 'chat'>, content: string): Promise<string[]> {
  await chat.send(content);
  await chat.settled();
  return said(await chat.messages());
}

describe('the shape of messages', () => {
  it('[M1] every message has a standard role and says whose it is and what it answers', async () => {
    const { chat, world, onlyApproval } = await openTestWorld({
      script: [{ say: 'Let me', calls: [{ name: 'open', arguments: { lock: 3 } }] }, 'It is open.'],
      tools: [gated('open', () => 'click')],
    });
    const { messageId } = await chat.send('open it');
    await chat.settled();
    await world.decide(await onlyApproval(), { decision: 'approve' });
    await chat.settled();
    const messages = await chat.messages();
    for (const message of messages) expect(messageSchema.strict().safeParse(message)).toMatchObject({ success: true });
    expect(messages.map((m) => [m.role, m.sender, m.agentId])).toEqual([
      ['user', 'human', undefined],
      ['assistant', 'ada', 'ada'],
      ['assistant', 'ada', 'ada'],
      ['tool', 'human', 'ada'],
      ['tool', 'tool', 'ada'],
      ['assistant', 'ada', 'ada'],
    ]);
    const [question, calls, asking, decision, result, answer] = messages;
    expect(question).toMatchObject({ messageId, chatId: chat.id });
    expect([calls?.replyToMessageId, answer?.replyToMessageId]).toEqual([messageId, messageId]);
    expect(asking?.replyToMessageId).toBe(calls?.messageId);
    expect(decision?.tool_call_id).toBe(asking?.tool_calls?.[0]?.id);
    expect(result?.tool_call_id).toBe(calls?.tool_calls?.[0]?.id);
    expect(new Set(messages.map((m) => m.messageId)).size).toBe(messages.length);
  });

  it('[M1] an assistant message with calls shows what became of each', async () => {
    const { chat, world, onlyApproval } = await openTestWorld({
      script: [
        {
          calls: [
            { name: 'open', arguments: {} },
            { name: 'look', arguments: {} },
          ],
        },
        'done',
      ],
      tools: [gated('open', () => 'click'), tool('look', () => ({ tide: 'low' }))],
    });
    await chat.send('go');
    await chat.settled();
    const statuses = async (): Promise<unknown[]> =>
      (await chat.messages()).flatMap((m) => Object.values(m.toolCallStatus ?? {}));
    expect(await statuses()).toEqual([
      { complete: false, result: null },
      { complete: true, result: { result: { tide: 'low' } } },
      { complete: false, result: null },
    ]);
    await world.decide(await onlyApproval(), { decision: 'deny', reason: 'not today' });
    await chat.settled();
    expect(await statuses()).toEqual([
      { complete: true, result: { error: 'User denied approval for open', reason: 'not today' } },
      { complete: true, result: { result: { tide: 'low' } } },
      { complete: true, result: { decision: 'deny', scope: 'once', timestamp: expect.any(String) as string } },
    ]);
  });

  it('[M1] events carry the same messages as the transcript', async () => {
    const { chat, events } = await openTestWorld({ script: ['hello'] });
    await talk({ chat }, 'hi');
    const heard = events.flatMap((event) => (event.event === 'message' ? [event.data] : []));
    expect(heard).toEqual(await chat.messages());
  });

  it.each([
    ['nothing', ''],
    ['white space', ' \n\t '],
    ['more than a million characters', 'x'.repeat(1_000_001)],
  ])('[M1] a message of %s is refused with its field, and nothing is written', async (_, content) => {
    const { chat } = await openTestWorld();
    await expect(chat.send(content)).rejects.toMatchObject({ code: 'invalid', field: 'content' });
    expect(await chat.messages()).toEqual([]);
    expect(await chat.status()).toBe('idle');
  });

  it('[M1] NUL, broken surrogates and a megabyte come through a chat as they were sent', async () => {
    const { chat, provider } = await openTestWorld({
      script: () => 'read\ud800\0it',
      model: { contextTokens: 2_000_000 },
    });
    const strange = ['a\0b', 'half \ud83d of a pair', '\u001a0000', '\u202Eevil', 'y'.repeat(1_000_000)];
    for (const content of strange) await talk({ chat }, content);
    const shown = provider.requests.map((request) => request.messages.at(-1)?.content);
    expect(shown).toEqual(strange);
    expect((await chat.messages()).filter((m) => m.role === 'assistant')).toHaveLength(strange.length);
  });

  it('[M1] [S2] what was said is never written again, however much follows', async () => {
    const clock = createFakeClock();
    const opened = await openTestWorld({ clock });
    await talk(opened, 'first');
    const early = await opened.chat.messages();
    for (let n = 0; n < 20; n += 1) {
      clock.advance(1_000);
      await talk(opened, `message ${n}`);
    }
    const all = await opened.chat.messages();
    expect(all.slice(0, 2)).toEqual(early);
    expect(all).toHaveLength(42);
    expect(opened.events.filter((event) => event.event === 'message')).toHaveLength(42);
  });

  it('[M1] the same clientMessageId again is the same message and is answered once', async () => {
    const { chat, provider } = await openTestWorld();
    const sent = await Promise.all([1, 2, 3].map(() => chat.send('once', { clientMessageId: 'c1' })));
    await chat.settled();
    expect(await chat.send('once', { clientMessageId: 'c1' })).toEqual(sent[0]);
    expect(new Set(sent.map((s) => s.messageId)).size).toBe(1);
    expect(provider.requests).toHaveLength(1);
    expect(await chat.messages()).toHaveLength(2);
  });

  it('[M1] secrets in a chat are masked for people, also in chunks, and not for the model', async () => {
    const secret = 'sk-proj-Zk3vQ8mT1xW6yB0nC5dF7gH9jL2pR4sU';
    const { chat, provider, events, heard } = await openTestWorld({
      script: [`your key is ${secret} , keep it`, 'ok'],
    });
    await talk({ chat }, `my key: ${secret}`);
    await talk({ chat }, 'thanks');
    await heard((event) => event.event === 'world' && event.data.type === 'idle');
    expect(JSON.stringify(await chat.messages())).not.toContain(secret);
    expect(JSON.stringify(events)).not.toContain(secret);
    const chunks = events.flatMap((event) => (event.event === 'sse' ? [event.data.content ?? ''] : [])).join('');
    expect(chunks).toContain('your key is');
    expect(chunks).not.toContain(secret.slice(8, 24));
    expect(provider.requests[1]?.messages.map((m) => m.content)).toEqual([
      expect.any(String),
      `my key: ${secret}`,
      `your key is ${secret} , keep it`,
      'thanks',
    ]);
  });
});

describe('who answers', () => {
  it('[M2] a message without a mention goes to every active agent', async () => {
    const world = await openTestWorld({ agents: ['Ada', 'Bob', { name: 'Off', active: false }] });
    expect((await talk(world, 'hello all')).toSorted()).toEqual(['ada: ok', 'bob: ok', 'human: hello all']);
  });

  it('[M2] with a main agent it goes to that one alone, and a mention still goes to whom it names', async () => {
    const opened = await openTestWorld({ agents: ['Ada', 'Bob'] });
    await opened.world.update({ mainAgent: 'bob' });
    expect(await talk(opened, 'hello')).toEqual(['human: hello', 'bob: ok']);
    expect((await talk(opened, '@Ada hello')).slice(2)).toEqual(['human: @Ada hello', 'ada: ok']);
  });

  it('[M2] a world without an active agent says that nobody answers', async () => {
    const opened = await openTestWorld({ agents: [{ name: 'Off', active: false }] });
    const why = 'the only agent, @Off, is inactive in this world. Activate an agent, then send your message again.';
    expect(await talk(opened, 'anybody?')).toEqual(['human: anybody?', `system: Nobody answers: ${why}`]);
    expect(notices(opened.events)).toEqual([`Nobody answers: ${why}`]);
  });

  it.each([
    ['@bob look', ['bob']],
    ['@BOB look', ['bob']],
    ['@Ada, @Bob look', ['ada', 'bob']],
    ['first\n  @bob second', ['bob']],
    ['@Bob Hi there', ['bob']],
    ['@Harbour Master report', ['harbour-master']],
    ['mail bob@x.com', ['ada', 'bob', 'harbour-master']],
    ['I saw @bob today', []],
    ['@human please', []],
  ])('[M3] %j is answered by %j', async (content, answering) => {
    const { chat } = await openTestWorld({ agents: ['Ada', 'Bob', 'Harbour Master'] });
    await chat.send(content);
    await chat.settled();
    const speakers = (await chat.messages()).flatMap((m) => (m.role === 'assistant' ? [m.sender] : []));
    expect(speakers.toSorted()).toEqual(answering);
  });

  it.each([
    ['hey @bob', '@Bob is mentioned in the middle of a line'],
    ['@off hello', '@Off is inactive'],
  ])('[M3] nobody answers %j, and the chat keeps why, as a reply to it', async (content, why) => {
    const opened = await openTestWorld({ agents: ['Ada', 'Bob', { name: 'Off', active: false }] });
    const { messageId } = await opened.chat.send(content);
    await opened.chat.settled();
    expect((await opened.chat.messages()).at(-1)).toMatchObject({
      role: 'system',
      sender: 'system',
      replyToMessageId: messageId,
      content: expect.stringContaining(why) as unknown,
    });
    // People read the notice. No model does, and it counts as nobody's turn.
    await opened.chat.send('@ada hello');
    await opened.chat.settled();
    expect(JSON.stringify(opened.provider.requests)).not.toContain('Nobody answers');
    expect((await opened.chat.messages()).at(-1)).toMatchObject({ sender: 'ada', content: 'ok' });
  });

  it('[M3] nobody is missed by a message to people, or by an agent that addresses nobody', async () => {
    const opened = await openTestWorld({ script: ['I asked @bob about it.'], agents: ['Ada', 'Bob'] });
    await talk(opened, '@human look');
    await talk(opened, '@ada look');
    expect(notices(opened.events)).toEqual([]);
  });

  it('[M3] the same message sent twice is explained once', async () => {
    const { chat } = await openTestWorld({ agents: ['Ada', 'Bob'] });
    await chat.send('hey @bob', { clientMessageId: 'one' });
    await chat.send('hey @bob', { clientMessageId: 'one' });
    expect((await chat.messages()).map(({ role }) => role)).toEqual(['user', 'system']);
  });

  it('[M3] a message to names nobody has is answered by nobody and says so', async () => {
    const opened = await openTestWorld({ agents: ['Ada'] });
    expect(await talk(opened, '@Zoe are you there?')).toEqual([
      'human: @Zoe are you there?',
      'system: Nobody answers: no agent here is called @Zoe. Agents you can mention: @Ada.',
    ]);
    expect(notices(opened.events)).toEqual([expect.stringContaining('@Zoe')]);
  });

  it('[M4] an agent never answers itself, also when it addresses itself', async () => {
    const opened = await openTestWorld({ script: () => '@Ada again\n\n@Ada and again' });
    expect(await talk(opened, 'go')).toEqual(['human: go', 'ada: again\n\nand again']);
    expect(opened.provider.requests).toHaveLength(1);
  });

  it('[M4] an agent that addresses nobody is answered by nobody', async () => {
    const opened = await openTestWorld({ agents: ['Ada', 'Bob'] });
    await talk(opened, '@Ada hello');
    expect(opened.provider.requests).toHaveLength(1);
  });

  it('[M4] a person named like a user or an agent of another world is a person, whatever the name', async () => {
    const { chat, provider } = await openTestWorld();
    for (const sender of ['user7', 'Userella', 'assistant-fan']) {
      await chat.send('hello', { sender });
      await chat.settled();
    }
    expect(provider.requests).toHaveLength(3);
    expect(provider.requests[1]?.messages.at(-1)).toEqual({ role: 'user', content: 'hello', name: 'Userella' });
  });

  it('[M4] an agent named like a user is an agent: it is not answered unless it addresses', async () => {
    const opened = await openTestWorld({ agents: ['user1', 'Bob'], turnLimit: 2 });
    await talk(opened, '@user1 hello');
    expect(opened.provider.requests).toHaveLength(1);
  });

  it.each(['ada', 'Ada', 'ADA', 'system', 'world', 'tool', '', ' ', 'x\u202Ey', 'x'.repeat(300)])(
    '[M4] a client can not send as %j',
    async (sender) => {
      const { chat } = await openTestWorld();
      await expect(chat.send('I am not who I say', { sender })).rejects.toMatchObject({
        code: 'invalid',
        field: 'sender',
      });
      expect(await chat.messages()).toEqual([]);
    },
  );
});

describe('before an answer is published', () => {
  it('[M5] mentions of itself go, and an answer to an agent gets its name in front, never one to a person', async () => {
    const opened = await openTestWorld({
      agents: ['Ada', 'Bob'],
      script: ['@Ada @Bob what time is it?', 'Noon.', 'Thanks. <world>DONE</world>'],
    });
    expect(await talk(opened, '@Ada ask Bob the time')).toEqual([
      'human: @Ada ask Bob the time',
      'ada: @Bob what time is it?',
      'bob: @Ada Noon.',
      'ada: Thanks.',
    ]);
  });

  it.each(['STOP', 'DONE', 'PASS'])('[M5] <world>%s</world> ends the exchange and addresses nobody', async (tag) => {
    const opened = await openTestWorld({ agents: ['Ada', 'Bob'], script: () => `@Bob bye <world>${tag}</world>` });
    expect(await talk(opened, '@Ada hi')).toEqual(['human: @Ada hi', 'ada: bye']);
    expect(opened.provider.requests).toHaveLength(1);
  });

  it('[M5] an agent that only passes says nothing, and the chat is idle', async () => {
    const opened = await openTestWorld({ script: () => '<world>PASS</world>' });
    expect(await talk(opened, 'anything?')).toEqual(['human: anything?']);
    expect(await opened.chat.status()).toBe('idle');
    expect(notices(opened.events)).toEqual([]);
  });

  it('[M5] <world>TO: a, b</world> addresses those', async () => {
    const opened = await openTestWorld({
      agents: ['Ada', 'Bob', 'Cy'],
      script: ({ messages }) =>
        messages.at(-1)?.content === '@Ada tell them' ? '<world>TO: Bob, Cy</world>ready?' : '<world>PASS</world>',
    });
    expect(await talk(opened, '@Ada tell them')).toEqual(['human: @Ada tell them', 'ada: @Bob, @Cy ready?']);
    expect(opened.provider.requests).toHaveLength(3);
  });

  it('[M5] an empty answer is not published, and somebody is told', async () => {
    const opened = await openTestWorld({ script: () => ' ' });
    expect(await talk(opened, 'hello?')).toEqual(['human: hello?']);
    expect(notices(opened.events)).toEqual([expect.stringContaining('empty answer')]);
  });
});

describe('the turn limit', () => {
  const chatter = { agents: ['Ada', 'Bob'], turnLimit: 2, script: () => 'and you?' };

  it('[M6] counts turns, not model calls or events, hands over once and then stays silent', async () => {
    const opened = await openTestWorld({
      ...chatter,
      tools: [tool('look', () => 'sea')],
      script: ({ messages }) =>
        messages.at(-1)?.role === 'tool' ? '@Bob and you?' : { calls: [{ name: 'look' }, { name: 'look' }] },
    });
    const lines = await talk(opened, '@Ada start');
    const handover = expect.stringMatching(/^(ada|bob): @human .*2 turns/) as string;
    expect(lines).toEqual([
      'human: @Ada start',
      'ada: @Bob and you?',
      'bob: @Ada and you?',
      'ada: @Bob and you?',
      'bob: @Ada and you?',
      handover,
    ]);
    expect(await opened.chat.status()).toBe('idle');
  });

  it('[M6] an exhausted agent does not speak unasked, and a person makes it speak again', async () => {
    const opened = await openTestWorld({ ...chatter, script: () => '@Bob @Ada and you?' });
    const first = await talk(opened, '@Ada start');
    await opened.world.quiet();
    expect(said(await opened.chat.messages())).toEqual(first);
    const handovers = (lines: readonly string[]): string[] => lines.filter((line) => line.includes('@human'));
    expect(handovers(first).length).toBeGreaterThan(0);
    expect(new Set(handovers(first)).size).toBe(handovers(first).length);
    const second = await talk(opened, '@Ada go on');
    expect(second.length).toBeGreaterThan(first.length + 2);
  });

  it('[M6] [M12] decisions of people reset no limit', async () => {
    const opened = await openTestWorld({
      ...chatter,
      turnLimit: 1,
      tools: [gated('look', () => 'sea')],
      script: ({ messages }) => (messages.at(-1)?.role === 'tool' ? 'and you?' : { calls: [{ name: 'look' }] }),
      agents: ['Ada', 'Bob'],
    });
    await opened.chat.send('@Ada start');
    for (let asked = 0; (await opened.chat.settled()) === 'waiting'; asked += 1) {
      expect(asked).toBeLessThan(3);
      await opened.world.decide(await opened.onlyApproval(), { decision: 'approve' });
    }
    expect(opened.toolEvents().filter((event) => event.type === 'TOOL_APPROVED')).toHaveLength(1);
    expect(said(await opened.chat.messages())).toEqual(['human: @Ada start', 'ada: and you?']);
  });

  it('[M6] [M11] a person who writes more often than the limit while an agent works gets every answer', async () => {
    const busy = door();
    const opened = await openTestWorld({
      turnLimit: 2,
      script: async ({ messages }) => {
        await busy.opened;
        return `re ${messages.at(-1)?.content}`;
      },
    });
    for (const number of [1, 2, 3, 4, 5]) await opened.chat.send(`m${number}`);
    busy.open();
    await opened.chat.settled();
    const answers = said(await opened.chat.messages()).filter((line) => line.startsWith('ada'));
    expect(answers).toEqual([1, 2, 3, 4, 5].map((number) => `ada: re m${number}`));
  });
});

describe('the order of last words', () => {
  it.each<[string, ScriptedReply, string]>([
    ['an answer', 'my answer', 'ada: my answer'],
    ['a failure', { fail: new ProviderError('auth', 'expired') }, 'system: Ada could not answer.'],
  ])('[M6] %s comes before the hand-over of the turn that was queued behind it', async (_, reply, words) => {
    const busy = door();
    const opened = await openTestWorld({
      agents: [{ name: 'Ada', model: 'slow' }, 'Bob'],
      turnLimit: 1,
      script: async ({ model }) => {
        if (model !== 'slow') return '@Ada and you?';
        await busy.opened;
        return reply;
      },
    });
    await opened.chat.send('both of you');
    await opened.heard((event) => event.event === 'message' && event.data.agentId === 'bob');
    busy.open();
    await opened.chat.settled();
    const lines = said(await opened.chat.messages()).slice(2);
    expect(lines).toEqual([
      expect.stringContaining(words),
      expect.stringContaining('ada: @human I have taken 1 turns'),
    ]);
  });
});

describe('titles', () => {
  it('[M7] a chat is titled by a model when it first falls idle, and only then', async () => {
    const opened = await openTestWorld({ model: { title: '# "Tides at noon"\n' } });
    expect(await opened.chat.title()).toBe('New chat');
    await talk(opened, 'when is high tide?');
    await opened.world.quiet();
    expect(await opened.chat.title()).toBe('Tides at noon');
    expect(opened.events.filter((e) => e.event === 'system' && e.data.type === 'title')).toHaveLength(1);
    await talk(opened, 'and tomorrow?');
    await opened.world.quiet();
    expect(opened.events.filter((e) => e.event === 'system' && e.data.type === 'title')).toHaveLength(1);
  });

  it('[M7] a failure leaves the default, without a word in the chat', async () => {
    const opened = await openTestWorld();
    const lines = await talk(opened, 'hello');
    await opened.world.quiet();
    expect(await opened.chat.title()).toBe('New chat');
    expect(said(await opened.chat.messages())).toEqual(lines);
    expect(notices(opened.events)).toEqual([]);
    expect(opened.errors).toEqual([]);
  });
});

describe('activity', () => {
  it('[M8] a world tells when work starts, when only people are waited for, and when a chat is idle', async () => {
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

  it('[M8] work in one chat is counted, and does not make another one busy', async () => {
    const busy = door();
    const opened = await openTestWorld({
      script: async ({ messages }) => {
        if (messages.at(-1)?.content === 'slow') await busy.opened;
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
    busy.open();
    expect(await opened.chat.settled()).toBe('idle');
  });
});

describe('messages to a busy agent', () => {
  it('[M11] a message in mid-turn neither replaces nor orphans the turn, and is answered in order after it', async () => {
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

  it('[M11] agents that wait hold up nobody else', async () => {
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

  it('[M11] the chat waits, not works, while a message is queued behind a question to a person', async () => {
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

describe('tool messages', () => {
  it('[M12] results and decisions are not chat: they address nobody, whatever stands in them', async () => {
    const opened = await openTestWorld({
      agents: ['Ada', 'Bob'],
      tools: [gated('open', () => '@Bob please answer\n\n@human look')],
      script: ({ messages }) => (messages.at(-1)?.role === 'tool' ? 'opened' : { calls: [{ name: 'open' }] }),
    });
    await opened.chat.send('@Ada open');
    await opened.chat.settled();
    await opened.world.decide(await opened.onlyApproval(), { decision: 'approve', reason: '@Bob did you see?' });
    expect(await opened.chat.settled()).toBe('idle');
    expect(opened.provider.requests).toHaveLength(2);
    expect(await opened.chat.memory('bob')).toEqual([]);
  });

  it('[M12] [M5] the answer after a result obeys the rules of answers', async () => {
    const opened = await openTestWorld({
      agents: ['Ada', 'Bob'],
      tools: [tool('look', () => 'sea')],
      script: ['@Bob what do you see?', { calls: [{ name: 'look' }] }, 'The sea.', 'Thanks <world>DONE</world>'],
    });
    expect(await talk(opened, '@Ada ask Bob')).toEqual([
      'human: @Ada ask Bob',
      'ada: @Bob what do you see?',
      'bob: @Ada The sea.',
      'ada: Thanks',
    ]);
  });
});
