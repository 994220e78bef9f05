import type { GenerateRequest, ModelMessage } from '@countersign/core/ports';
import { afterEach, describe, expect, it } from 'vitest';
import { closeTestWorlds, deferred, gated, openTestWorld, tool, type TestWorld } from './testing/fixture.js';

afterEach(closeTestWorlds);

async function say({ chat }: Pick<TestWorld, 'chat'>, content: string): Promise<string> {
  await chat.send(content);
  return chat.settled();
}
/** What the model was shown besides its system message. */
const shown = (request: GenerateRequest | undefined): ModelMessage[] => (request?.messages ?? []).slice(1);
const texts = (request: GenerateRequest | undefined): string[] => shown(request).map((m) => m.content);
const system = (request: GenerateRequest | undefined): string => request?.messages[0]?.content ?? '';

describe('the view', () => {
  it('[WORLD14] contains only this chat and this agent: two chats of one agent never mix', async () => {
    const opened = await openTestWorld({ script: ({ messages }) => `re ${messages.at(-1)?.content}` });
    const other = { chat: await opened.world.chat() };
    for (const round of [1, 2, 3]) {
      await say(opened, `a${round}`);
      await say(other, `b${round}`);
    }
    expect(texts(opened.provider.requests.at(-2))).toEqual(['a1', 're a1', 'a2', 're a2', 'a3']);
    expect(texts(opened.provider.requests.at(-1))).toEqual(['b1', 're b1', 'b2', 're b2', 'b3']);
    expect((await opened.chat.messages()).map((m) => m.content)).toEqual(['a1', 're a1', 'a2', 're a2', 'a3', 're a3']);
  });

  it('[WORLD14] two concurrent chats of one agent stay separate', async () => {
    const first = deferred();
    const opened = await openTestWorld({
      script: async ({ messages }) => {
        if (messages.at(-1)?.content === 'a') await first.promise;
        return `re ${messages.at(-1)?.content}`;
      },
    });
    const other = { chat: await opened.world.chat() };
    await opened.chat.send('a');
    await say(other, 'b');
    first.resolve();
    await opened.chat.settled();
    expect((await opened.chat.messages()).map((m) => m.content)).toEqual(['a', 're a']);
    expect((await other.chat.messages()).map((m) => m.content)).toEqual(['b', 're b']);
  });

  it('[WORLD14] contains the messages the agent answered and its own, not messages to others, and names other speakers', async () => {
    const opened = await openTestWorld({
      agents: ['Ada', 'Bob'],
      script: ({ messages }) =>
        messages.at(-1)?.content === '@Bob only you' ? '@Ada I heard a secret' : 'noted <world>DONE</world>',
    });
    await say(opened, '@Bob only you');
    await opened.chat.send('@Ada what do you know?', { sender: 'Grace' });
    await opened.chat.settled();
    expect(shown(opened.provider.requests.at(-1))).toEqual([
      { role: 'user', name: 'Bob', content: '@Ada I heard a secret' },
      { role: 'assistant', content: 'noted' },
      { role: 'user', name: 'Grace', content: '@Ada what do you know?' },
    ]);
  });

  it('[WORLD14.1] [WORLD14.2] contains no approvals or decisions; calls and results are adjacent and appear once', async () => {
    const opened = await openTestWorld({
      script: [{ say: 'I try', calls: [{ name: 'ask' }, { name: 'free' }] }, 'done', 'ok'],
      tools: [gated('ask', () => 'asked'), tool('free', () => 'ran')],
    });
    await say(opened, 'go');
    await opened.world.decide(await opened.onlyApproval(), { decision: 'approve' });
    await opened.chat.settled();
    await say(opened, 'more');
    const request = opened.provider.requests.at(-1);
    expect(JSON.stringify(request?.messages)).not.toMatch(/client\.|approval_|decision/);
    expect(shown(request).map((m) => [m.role, m.content])).toEqual([
      ['user', 'go'],
      ['assistant', 'I try'],
      ['tool', '{"result":"asked"}'],
      ['tool', '{"result":"ran"}'],
      ['assistant', 'done'],
      ['user', 'more'],
    ]);
  });

  it('[WORLD14.1] [CALL10] omits a call to a reserved name, and the model is told that it was refused', async () => {
    const opened = await openTestWorld({
      script: [{ calls: [{ name: 'client.requestApproval', arguments: {} }] }, 'sorry'],
      tools: [tool('free', () => 'ran')],
    });
    await say(opened, 'go');
    const request = opened.provider.requests.at(-1);
    expect(shown(request).flatMap((m) => ('tool_calls' in m ? [m] : []))).toEqual([]);
    expect(texts(request).at(-1)).toMatch(/reserved/);
  });

  it('[WORLD14.2] a turn sees the chat as of its start', async () => {
    const opened = await openTestWorld({
      script: ({ messages }) => (messages.at(-1)?.content === 'open' ? { calls: [{ name: 'ask' }] } : 'ok'),
      tools: [gated('ask', () => 'x')],
    });
    await say(opened, 'open');
    await opened.chat.send('later');
    await opened.world.decide(await opened.onlyApproval(), { decision: 'approve' });
    await opened.chat.settled();
    const [, second, third] = opened.provider.requests;
    expect(texts(second)).toEqual(['open', '', '{"result":"x"}']);
    expect(texts(third)).toEqual(['open', '', '{"result":"x"}', 'ok', 'later']);
  });

  it('[WORLD14.2] every call in view has its result, even after a stop, a failure or a denial', async () => {
    const running = deferred();
    const opened = await openTestWorld({
      script: ({ messages }) => {
        const last = messages.at(-1);
        return last?.role === 'user' && last.content !== 'end'
          ? { calls: [{ name: last.content }, { name: 'no' }] }
          : 'ok';
      },
      tools: [
        tool('hang', () => {
          running.resolve();
          return deferred().promise;
        }),
        gated('ask', () => 'x'),
      ],
    });
    await opened.chat.send('hang');
    await running.promise;
    await opened.chat.stop();
    await say(opened, 'ask');
    await opened.chat.stop();
    await say(opened, 'nowhere');
    await say(opened, 'end');
    const view = shown(opened.provider.requests.at(-1));
    const asked = view.flatMap((m) => ('tool_calls' in m ? (m.tool_calls ?? []).map((call) => call.id) : []));
    const answered = view.flatMap((m) => (m.role === 'tool' ? [m.tool_call_id] : []));
    expect(asked).toHaveLength(6);
    expect(answered).toEqual(asked);
    expect(JSON.stringify(view)).toContain('stopped, outcome unknown');
  });

  it('[WORLD14] the system prompt is current, and memory keeps everything', async () => {
    const opened = await openTestWorld({ agents: [{ name: 'Ada', systemPrompt: 'Be brief.' }] });
    await say(opened, 'one');
    await opened.world.updateAgent('ada', { systemPrompt: 'Be long.' });
    await say(opened, 'two');
    expect(opened.provider.requests.map((request) => system(request).split('\n')[0])).toEqual([
      'Be brief.',
      'Be long.',
    ]);
    expect((await opened.chat.memory('ada')).map((m) => m.content)).toEqual(['one', 'ok', 'two', 'ok']);
  });

  it('[WORLD14] a renamed agent appears under its new name from then on', async () => {
    const opened = await openTestWorld({ agents: ['Ada', 'Bob'], script: ['@Ada hi', 'ok', 'ok'] });
    await say(opened, '@Bob greet Ada');
    await opened.world.updateAgent('bob', { name: 'Robert' });
    await say(opened, '@Ada who was that?');
    expect(shown(opened.provider.requests.at(-1))[0]).toMatchObject({ name: 'Robert' });
  });
});

describe('a view that is too big', () => {
  // 3 characters count as a token and a quarter is reserved for the answer, so this leaves room for 3,000 characters.
  const small = { contextTokens: 1_334 };

  it('[WORLD15.1] at most a quarter of a small window is reserved for the answer, however much the agent may write', async () => {
    for (const maxTokens of [undefined, 100_000]) {
      const settings = { contextTokens: 4_096, ...(maxTokens === undefined ? {} : { maxTokens }) };
      const opened = await openTestWorld({ agents: [{ name: 'Ada', ...settings }] });
      for (let n = 1; n <= 4; n += 1) await say(opened, `${n} ${'q'.repeat(500)}`);
      expect(shown(opened.provider.requests.at(-1))).toHaveLength(7);
      expect(system(opened.provider.requests.at(-1))).not.toContain('left out');
    }
  });

  it('[WORLD15.2] the provider is asked for the window before the first call', async () => {
    let window: number | undefined;
    const seen: GenerateRequest[] = [];
    const asked: string[] = [];
    const opened = await openTestWorld({
      agents: [{ name: 'Ada', provider: 'local' }],
      providers: [
        {
          name: 'local',
          contextTokens: () => window,
          learnModel(model) {
            asked.push(model);
            return Promise.resolve().then(() => void (window = small.contextTokens));
          },
          async generate(request) {
            if (request.purpose === 'answer') seen.push(request);
            return { type: 'text', content: 'a'.repeat(300), usage: { inputTokens: 0, outputTokens: 0 } };
          },
        },
      ],
    });
    for (let n = 1; n <= 8; n += 1) await say(opened, `${n} ${'q'.repeat(300)}`);
    expect(asked[0]).toBe('any');
    expect(system(seen.at(-1))).toContain('left out');
  });

  it('[WORLD15.3] people are told once per chat, and the model is not', async () => {
    const opened = await openTestWorld({ agents: ['Ada', 'Bob'], model: small, script: () => 'a'.repeat(300) });
    const notices = async (chat = opened.chat) =>
      (await chat.messages()).filter(({ role }) => role === 'system').map(({ content }) => content);
    await say(opened, '@Ada hi');
    expect(await notices()).toEqual([]);
    for (let n = 1; n <= 8; n += 1) await say(opened, `@Ada ${n} ${'q'.repeat(300)}`);
    for (let n = 1; n <= 8; n += 1) await say(opened, `@Bob ${n} ${'q'.repeat(300)}`);
    const told = [
      expect.stringMatching(/^This chat no longer fits into the context window of Ada's model \(1,334 tokens\)/),
    ];
    expect(await notices()).toEqual(told);
    expect(JSON.stringify(opened.provider.requests)).not.toContain('no longer fits');
    expect(await opened.chat.settled()).toBe('idle');
    const other = await opened.world.chat();
    for (let n = 1; n <= 8; n += 1) await say({ chat: other }, `@Ada ${n} ${'q'.repeat(300)}`);
    expect(await notices(other)).toEqual(told);
  });

  it('[WORLD15] omits the oldest exchanges, each as a whole, and says so in a note', async () => {
    const opened = await openTestWorld({ model: small, script: () => 'a'.repeat(300) });
    for (let n = 1; n <= 10; n += 1) await say(opened, `${n} ${'q'.repeat(300)}`);
    const request = opened.provider.requests.at(-1);
    const view = shown(request);
    expect(view.length).toBeLessThan(19);
    expect(view.length).toBeGreaterThan(3);
    expect(view.map((m) => m.role)).toEqual(
      Array.from({ length: view.length }, (_, i) => (i % 2 === 0 ? 'user' : 'assistant')),
    );
    expect(view.at(-1)?.content).toMatch(/^10 /);
    expect(system(request)).toContain('left out');
    expect(system(opened.provider.requests[0])).not.toContain('left out');
    expect(JSON.stringify(request?.messages).length).toBeLessThan(4_000);
    // Twenty messages, and a notice for people.
    expect(await opened.chat.messages()).toHaveLength(21);
  });

  it('[WORLD15] keeps or omits calls and results together', async () => {
    const opened = await openTestWorld({
      model: small,
      script: ({ messages }) => (messages.at(-1)?.role === 'user' ? { calls: [{ name: 'look' }] } : 'seen'),
      tools: [tool('look', () => 'x'.repeat(400))],
    });
    for (let n = 1; n <= 12; n += 1) {
      await say(opened, `look ${n}`);
      for (const request of opened.provider.requests.slice(-2)) {
        const view = shown(request);
        const asked = view.flatMap((m) => ('tool_calls' in m ? (m.tool_calls ?? []).map((call) => call.id) : []));
        expect(view.flatMap((m) => (m.role === 'tool' ? [m.tool_call_id] : []))).toEqual(asked);
        expect(view[0]?.role).toBe('user');
      }
    }
  });

  it('[WORLD15] a single turn that is too big keeps its calls, and its oldest results shrink to a note', async () => {
    let calls = 0;
    const opened = await openTestWorld({
      model: small,
      script: () => {
        calls += 1;
        return calls <= 4 ? { calls: [{ name: 'look', arguments: { n: calls } }] } : 'seen';
      },
      tools: [tool('look', ({ n }) => `${String(n)}${'x'.repeat(1_200)}`)],
    });
    await say(opened, 'look four times');
    const results = shown(opened.provider.requests.at(-1)).flatMap((m) => (m.role === 'tool' ? [m.content] : []));
    expect(results).toHaveLength(4);
    expect(results.slice(0, 2)).toEqual([expect.stringContaining('left out'), expect.stringContaining('left out')]);
    expect(results.at(-1)).toContain('4xxx');
  });

  it('[WORLD15] a message larger than the window still reaches the model with its turn', async () => {
    const opened = await openTestWorld({ model: small });
    await say(opened, 'before');
    await say(opened, 'y'.repeat(100_000));
    expect(texts(opened.provider.requests.at(-1))).toEqual(['y'.repeat(100_000)]);
  });

  it('[WORLD15] omitted messages return for a model with a larger window', async () => {
    const opened = await openTestWorld({
      model: small,
      providers: [{ name: 'wide', contextTokens: () => 200_000, generate: (request) => wide(request) }],
      script: () => 'a'.repeat(500),
    });
    let seen: GenerateRequest | undefined;
    async function wide(request: GenerateRequest) {
      if (request.purpose === 'answer') seen = request;
      return { type: 'text' as const, content: 'ok', usage: { inputTokens: 0, outputTokens: 0 } };
    }
    for (let n = 1; n <= 8; n += 1) await say(opened, `${n} ${'q'.repeat(300)}`);
    expect(shown(opened.provider.requests.at(-1)).length).toBeLessThan(15);
    await opened.world.updateAgent('ada', { provider: 'wide' });
    await say(opened, 'all of it?');
    expect(shown(seen)).toHaveLength(17);
    expect(system(seen)).not.toContain('left out');
  });
});

describe('the system message', () => {
  it('[WORLD16] lists the tools and says that calls may wait, denials are final, and results are data', async () => {
    const opened = await openTestWorld({
      agents: [{ name: 'Ada', systemPrompt: 'You keep the harbour.' }, 'Bob'],
      tools: [tool('look', () => 1), gated('open', () => 2)],
    });
    await say(opened, '@Ada hi');
    const words = system(opened.provider.requests[0]);
    expect(words).toContain('You keep the harbour.');
    expect(words).toContain('look, open');
    expect(words).toContain('@Bob');
    expect(words).toMatch(/wait for a person/);
    expect(words).toMatch(/not repeat a denied call unchanged/);
    expect(words).toMatch(/data, not instructions/);
  });

  it('[WORLD16] tells an agent that it has no tools, and sends no schemas', async () => {
    const opened = await openTestWorld({ agents: [{ name: 'Ada', tools: [] }], tools: [tool('look', () => 1)] });
    await say(opened, 'hi');
    expect(opened.provider.requests[0]?.tools).toEqual([]);
    expect(system(opened.provider.requests[0])).toContain('no tools');
  });
});
