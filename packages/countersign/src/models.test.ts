import type { GenerateRequest, LLMResponse, Provider } from '@countersign/core/ports';
import { ProviderError } from '@countersign/core/ports';
import { createFakeClock, scripted } from '@countersign/core/testing';
import { openSqlite } from '@countersign/storage';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from './system-clock.js';
import { closeTestWorld, deferred, openTestWorld, tool, type TestWorld } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';

const inFolder = freshFolder();

const usage = { inputTokens: 0, outputTokens: 0 };
const text = (content: string): LLMResponse => ({ type: 'text', content, usage });

/** A world whose only agent uses a misbehaving provider. */
async function openWith(generate: (request: GenerateRequest, call: number) => unknown): Promise<TestWorld> {
  let calls = 0;
  const foreign: Provider = {
    name: 'foreign',
    generate: ((request: GenerateRequest) => {
      if (request.purpose === 'title') return Promise.reject(new ProviderError('bad-request', 'no titles'));
      calls += 1;
      return generate(request, calls);
    }) as Provider['generate'],
  };
  return openTestWorld({
    providers: [foreign],
    agents: [{ name: 'Ada', provider: 'foreign' }],
    tools: [tool('look', () => 'sea')],
  });
}

const sse = (opened: TestWorld) => opened.events.flatMap((event) => (event.event === 'sse' ? [event.data] : []));
const systemEvents = (opened: TestWorld) =>
  opened.events.flatMap((event) => (event.event === 'system' ? [event.data] : []));
async function lastMessage({ chat }: TestWorld) {
  const message = (await chat.messages()).at(-1);
  if (message === undefined) throw new Error('nothing was said');
  return message;
}

describe('requests to a provider and its responses', () => {
  const twoTurns = { calls: [{ name: 'look', id: 'vendor-1' }], providerState: { thought: 1 } };

  it('[P11] [P11.1] thinking is stored masked, and no model, mention or gate ever sees it', async () => {
    const key = 'AKIAIOSFODNN7EXAMPLE';
    const { chat, provider, world } = await openTestWorld({
      agents: ['Ada', 'Bob'],
      script: [
        { thinking: `@Bob look() ${key}`, calls: [{ name: 'look' }] },
        { say: 'done', thinking: '@Bob, take over' },
        'ok',
      ],
      tools: [tool('look', () => 'sea')],
    });
    await world.setPolicy(['allow look']);
    await chat.send('@Ada hi');
    await chat.settled();
    await chat.send('@Ada more');
    await chat.settled();
    expect(provider.requests).toHaveLength(3);
    expect(JSON.stringify(provider.requests.map(({ messages }) => messages))).not.toMatch(/take over|look\(\)/);
    const messages = await chat.messages();
    const thoughts = messages.flatMap(({ thinking = [] }) => thinking);
    expect(thoughts).toEqual([expect.stringContaining('@Bob look() '), '@Bob, take over']);
    expect(JSON.stringify(messages)).not.toContain(key);
    expect(messages.filter(({ sender }) => sender === 'bob')).toEqual([]);
  });

  it('[P10] an agent’s model settings reach its provider, and the context size limits what it sees', async () => {
    const settings = { topP: 0.9, thinking: 'high' as const, parallelToolCalls: false };
    const { chat, provider } = await openTestWorld({
      agents: [{ name: 'Ada', ...settings, contextTokens: 6_000 }],
    });
    await chat.send(`first ${'x'.repeat(20_000)}`);
    await chat.settled();
    await chat.send('second');
    await chat.settled();
    const [first, second] = provider.requests;
    expect(first).toMatchObject(settings);
    expect(first).not.toHaveProperty('contextTokens');
    expect(JSON.stringify(second?.messages)).not.toContain('first x');
  });

  it('[P10.2] a setting that the provider does not support is refused at its field', async () => {
    let accepts = false;
    const plain: Provider = {
      ...scripted([]),
      name: 'plain',
      checkSettings: (_, { topP }) =>
        topP === undefined || accepts ? undefined : { field: 'topP', detail: 'No top-p here.' },
    };
    const { world } = await openTestWorld({ providers: [plain] });
    const agent = { name: 'Bob', provider: 'plain', model: 'any' };
    const refused = { code: 'invalid', field: 'topP', message: 'No top-p here.' };
    await expect(world.addAgent({ ...agent, topP: 0.5 })).rejects.toMatchObject(refused);
    await world.addAgent(agent);
    await expect(world.updateAgent('bob', { topP: 0.5 })).rejects.toMatchObject(refused);
    await world.updateAgent('bob', { temperature: 0.5 });
    // A provider can lose a setting later. The agent can still be deactivated, but not called.
    accepts = true;
    await world.updateAgent('bob', { topP: 0.5 });
    accepts = false;
    await world.updateAgent('bob', { active: false });
    await expect(world.updateAgent('bob', { temperature: 1 })).rejects.toMatchObject(refused);
  });

  it('[P1] a provider gets messages and schemas, and nothing else', async () => {
    const { chat, provider } = await openTestWorld({
      agents: [{ name: 'Ada', temperature: 0.5, maxTokens: 77, model: 'big' }],
      tools: [tool('look', () => 'sea')],
    });
    await chat.send('hi');
    await chat.settled();
    const request = provider.requests[0];
    expect(Object.keys(request ?? {}).toSorted()).toEqual(
      ['maxTokens', 'messages', 'model', 'onChunk', 'purpose', 'signal', 'stream', 'temperature', 'tools'].toSorted(),
    );
    expect(request).toMatchObject({ model: 'big', temperature: 0.5, maxTokens: 77, purpose: 'answer', stream: true });
    expect(request?.tools).toEqual([{ name: 'look', description: 'the tool look', parameters: { type: 'object' } }]);
  });

  it('[P1.1] providerState is stored and returned to the same provider and model', async () => {
    const { chat, provider } = await openTestWorld({
      script: [twoTurns, { say: 'done', providerState: 'sealed' }, 'ok'],
      tools: [tool('look', () => 'sea')],
    });
    await chat.send('one');
    await chat.settled();
    expect(provider.requests[1]?.messages.at(-2)).toMatchObject({ role: 'assistant', providerState: { thought: 1 } });
    await chat.send('two');
    await chat.settled();
    expect(provider.requests[2]?.messages.flatMap((m) => ('providerState' in m ? [m.providerState] : []))).toEqual([
      { thought: 1 },
      'sealed',
    ]);
  });

  it('[P1.1] providerState and vendor ids never reach another model or provider, and are used again with the first one', async () => {
    const { world, chat, provider } = await openTestWorld({
      script: [twoTurns, { say: 'done', providerState: 'sealed' }, 'ok', 'ok', 'ok'],
      tools: [tool('look', () => 'sea')],
    });
    const states = (): string => JSON.stringify(provider.requests.at(-1)?.messages);
    await chat.send('one');
    await chat.settled();
    await world.updateAgent('ada', { model: 'other' });
    await chat.send('two');
    await chat.settled();
    expect(states()).not.toMatch(/thought|sealed|vendor-1/);
    await world.updateAgent('ada', { model: 'any' });
    await chat.send('three');
    await chat.settled();
    expect(states()).toMatch(/thought.*vendor-1.*sealed/);
  });

  it('[P1.1] [P5] an agent’s providerState is never sent for another agent', async () => {
    const { chat, provider } = await openTestWorld({
      agents: ['Ada', 'Bob'],
      script: [{ say: '@Bob hello', providerState: 'of Ada' }, '<world>PASS</world>'],
    });
    await chat.send('@Ada greet Bob');
    await chat.settled();
    expect(provider.requests[1]?.messages.at(-1)).toEqual({ role: 'user', name: 'Ada', content: '@Bob hello' });
  });

  it('[P5] a vendor id that is repeated, in the same turn or a later one, becomes two calls with our own ids', async () => {
    const ran: unknown[] = [];
    const same = (n: number) => ({ name: 'look', id: 'call_1', arguments: { n } });
    const opened = await openTestWorld({
      script: [{ calls: [same(1), same(2)] }, { calls: [same(3)] }, 'first', { calls: [same(4)] }, 'second'],
      tools: [tool('look', ({ n }) => (ran.push(n), `saw ${String(n)}`))],
    });
    await opened.chat.send('one');
    expect(await opened.chat.settled()).toBe('idle');
    await opened.chat.send('two');
    expect(await opened.chat.settled()).toBe('idle');
    expect(ran).toEqual([1, 2, 3, 4]);
    const ids = opened.toolEvents().map((event) => event.invocation_id);
    expect(new Set(ids).size).toBe(4);
    expect(ids.filter((id) => !/^call_[0-9a-f]{32}$/.test(id))).toEqual([]);
    const results = opened.provider.requests[1]?.messages.filter((m) => m.role === 'tool');
    expect(results?.map((m) => [m.vendorId, m.content])).toEqual([
      ['call_1', '{"result":"saw 1"}'],
      ['call_1', '{"result":"saw 2"}'],
    ]);
  });
});

describe('streaming', () => {
  it.each([true, false])('[P3] with streaming %s the same answer is published', async (streaming) => {
    const opened = await openTestWorld({
      streaming,
      script: [{ say: 'Looking  now.\n', calls: [{ name: 'look' }] }, '  I see\tthe  sea.\n\n    x = 1\n'],
      tools: [tool('look', () => 'sea')],
    });
    await opened.chat.send('look');
    await opened.chat.settled();
    expect((await opened.chat.messages()).map((m) => [m.role, m.content])).toEqual([
      ['user', 'look'],
      ['assistant', 'Looking  now.\n'],
      ['tool', '{"result":"sea"}'],
      ['assistant', '  I see\tthe  sea.\n\n    x = 1\n'],
    ]);
    expect(opened.provider.requests.map((request) => request.stream)).toEqual([streaming, streaming]);
    expect(sse(opened).some((event) => event.type === 'chunk')).toBe(streaming);
  });

  it.each([
    ['spaces and line feeds', '  I see\tthe   sea.\n\n      x = 1\n'],
    ['a long run of spaces', `a${' '.repeat(200)}b`],
    ['code with a password', '```\npassword = "hunter2hunter2"\n```'],
    ['zero-width and bidi characters', 'a\u200Bb \u202Ec'],
    ['an emoji', 'all \u{1F44D} good'],
  ])('[P3] [W4] chunks of %s add up to the message by offset, under its id', async (_, content) => {
    const opened = await openTestWorld({ script: () => content });
    await opened.chat.send('go');
    await opened.chat.settled();
    const message = await lastMessage(opened);
    const events = sse(opened);
    expect(events.map((event) => event.messageId).filter((id) => id !== message.messageId)).toEqual([]);
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(['start', 'end']);
    let whole = '';
    for (const event of events.filter((candidate) => candidate.type === 'chunk')) {
      expect(event.offset).toBe(whole.length);
      whole += event.content ?? '';
    }
    expect(whole).toBe(message.content);
  });

  it('[P3] usage is reported per call and summed over the turn', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-'));
    try {
      const file = join(folder, 'usage.db');
      const opened = await openTestWorld({
        file,
        script: [
          { calls: [{ name: 'look' }], usage: { inputTokens: 10, outputTokens: 3 } },
          { say: 'sea', usage: { inputTokens: 20, outputTokens: 4 } },
        ],
        tools: [tool('look', () => 'sea')],
      });
      await opened.chat.send('look');
      await opened.chat.settled();
      expect(sse(opened).flatMap((event) => (event.usage === undefined ? [] : [event.usage]))).toEqual([
        { inputTokens: 10, outputTokens: 3 },
        { inputTokens: 20, outputTokens: 4 },
      ]);
      const turnId = opened.toolEvents()[0]?.turn_id.replace(/\.\d+$/, '') ?? '';
      await closeTestWorld(opened);
      const store = await openSqlite(file, { clock: systemClock });
      const turn = await store.read((reader) => reader.turn(turnId));
      await store.close();
      expect(turn).toMatchObject({ inputTokens: 30, outputTokens: 7 });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('[P1] chunks after the end of an answer, or without streaming, are ignored', async () => {
    let late: ((chunk: string) => void) | undefined;
    const opened = await openWith((request) => {
      late = request.onChunk;
      request.onChunk('hello');
      return Promise.resolve(text('hello'));
    });
    await opened.chat.send('hi');
    await opened.chat.settled();
    const before = opened.events.length;
    late?.(' and more');
    expect(opened.events).toHaveLength(before);
    await opened.world.update({ streaming: false });
    await opened.chat.send('hi');
    await opened.chat.settled();
    expect(sse(opened).filter((event) => event.type === 'chunk')).toHaveLength(1);
  });

  it('[P4] chunks of a failed attempt are not mixed with those of the next one', async () => {
    const clock = createFakeClock();
    const asked = deferred();
    let first: ((chunk: string) => void) | undefined;
    const opened = await openTestWorld({
      clock,
      script: (request) => {
        if (first === undefined) {
          first = request.onChunk;
          request.onChunk('half an ');
          asked.resolve();
          return { fail: new ProviderError('overloaded', 'busy') };
        }
        first('LATE');
        return 'whole answer';
      },
    });
    await opened.chat.send('go');
    await asked.promise;
    await advanceUntil(opened, clock, 500);
    const events = sse(opened);
    const again = events.findLastIndex((event) => event.type === 'start');
    const second = events.slice(again).filter((event) => event.type === 'chunk');
    expect(second.map((event) => event.content).join('')).toBe('whole answer');
    expect(second[0]).toMatchObject({ offset: 0, attempt: 2 });
  });
});

/** Runs everything that can run now, without advancing time. */
async function breathe(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

async function advanceUntil(opened: TestWorld, clock: { advance(ms: number): void }, ms: number): Promise<void> {
  const settled = opened.chat.settled();
  await breathe();
  clock.advance(ms);
  await settled;
}

describe('when a model call fails', () => {
  it('[P4.1] a retryable failure is retried after the vendor’s delay, not sooner', async () => {
    const clock = createFakeClock();
    const opened = await openTestWorld({
      clock,
      script: [{ fail: new ProviderError('rate-limited', 'slow down', { retryAfterMs: 7_000 }) }, 'here I am'],
    });
    await opened.chat.send('hi');
    await breathe();
    clock.advance(6_999);
    await breathe();
    expect(opened.provider.requests).toHaveLength(1);
    const settled = opened.chat.settled();
    clock.advance(1);
    expect(await settled).toBe('idle');
    expect(opened.provider.requests).toHaveLength(2);
    expect((await lastMessage(opened)).content).toBe('here I am');
    expect(systemEvents(opened)).toEqual([]);
  });

  it.each(['rate-limited', 'overloaded', 'network'] as const)(
    '[P4.1] a model that is %s gets three attempts with growing delays, then an error, and the chat stays usable',
    async (kind) => {
      const clock = createFakeClock();
      let broken = true;
      const opened = await openTestWorld({
        clock,
        script: () => (broken ? { fail: new ProviderError(kind, 'not now') } : 'back again'),
      });
      await opened.chat.send('hi');
      await breathe();
      expect(opened.provider.requests).toHaveLength(1);
      clock.advance(500);
      await breathe();
      expect(opened.provider.requests).toHaveLength(2);
      clock.advance(999);
      await breathe();
      expect(opened.provider.requests).toHaveLength(2);
      clock.advance(1);
      expect(await opened.chat.settled()).toBe('idle');
      expect(opened.provider.requests).toHaveLength(3);
      const { role, content } = await lastMessage(opened);
      expect([role, content]).toEqual([
        'system',
        expect.stringMatching(/^Ada could not answer\. .*send your message again/),
      ]);
      expect(systemEvents(opened)).toMatchObject([
        { type: 'error', message: content, messageId: expect.any(String) as string },
      ]);
      broken = false;
      await opened.chat.send('hello?');
      await opened.chat.settled();
      expect((await lastMessage(opened)).content).toBe('back again');
      // Nothing is lost: the failed message is in the view of the next call.
      expect(
        opened.provider.requests
          .at(-1)
          ?.messages.map((m) => m.content)
          .slice(1),
      ).toEqual(['hi', 'hello?']);
    },
  );

  it.each(['auth', 'no-key', 'context-too-long', 'bad-request'] as const)(
    '[P4.2] %s is not retried and becomes an error that says what to do',
    async (kind) => {
      const opened = await openTestWorld({ script: [{ fail: new ProviderError(kind, 'the vendor said no') }, 'ok'] });
      await opened.chat.send('hi');
      expect(await opened.chat.settled()).toBe('idle');
      expect(opened.provider.requests).toHaveLength(1);
      const { role, content } = await lastMessage(opened);
      expect([role, content]).toEqual(['system', expect.stringContaining('the vendor said no')]);
      expect(systemEvents(opened)).toMatchObject([
        { type: 'error', message: content, messageId: expect.any(String) as string },
      ]);
      expect(sse(opened).at(-1)).toMatchObject({ type: 'error' });
      await opened.chat.send('again');
      await opened.chat.settled();
      expect((await lastMessage(opened)).content).toBe('ok');
    },
  );

  it('[P4] a missing key is reported as missing, not as refused', async () => {
    const missing = new ProviderError('no-key', 'Set OPENAI_API_KEY and restart.');
    const opened = await openTestWorld({ script: [{ fail: missing }] });
    await opened.chat.send('hi');
    await opened.chat.settled();
    expect((await lastMessage(opened)).content).toBe(
      `Ada could not answer. No API key is set for ${opened.provider.name}. Set OPENAI_API_KEY and restart.`,
    );
  });

  it('[P4] a delay longer than a person would wait fails immediately with an error', async () => {
    const opened = await openTestWorld({
      clock: createFakeClock(),
      script: [{ fail: new ProviderError('rate-limited', 'tomorrow', { retryAfterMs: 86_400_000 }) }],
    });
    await opened.chat.send('hi');
    expect(await opened.chat.settled()).toBe('idle');
    expect((await lastMessage(opened)).content).toContain('rate limiting requests');
  });

  it('[P4] a failure during a turn keeps the calls and results so far', async () => {
    const opened = await openTestWorld({
      script: [{ calls: [{ name: 'look' }] }, { fail: new ProviderError('auth', 'expired') }, 'The sea.'],
      tools: [tool('look', () => 'sea')],
    });
    await opened.chat.send('look');
    await opened.chat.settled();
    await opened.chat.send('so?');
    await opened.chat.settled();
    const shown = opened.provider.requests.at(-1)?.messages.map((m) => m.role);
    expect(shown).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
  });

  it('[P4] a provider that is not configured is reported, and can be replaced by another one', async () => {
    const nowhere: Provider = { name: 'nowhere', generate: () => Promise.reject(new Error('nobody asks it')) };
    const file = inFolder('world.db');
    const before = await openTestWorld({ file, agents: [{ name: 'Ada', provider: 'nowhere' }], providers: [nowhere] });
    await closeTestWorld(before);
    const opened = await openTestWorld({ file });
    await opened.chat.send('hi');
    await opened.chat.settled();
    expect((await lastMessage(opened)).content).toContain('"nowhere", which is not set up here');
    await opened.world.updateAgent('ada', { provider: 'scripted' });
    await opened.chat.send('hi');
    await opened.chat.settled();
    expect((await lastMessage(opened)).content).toBe('ok');
  });

  it('[P4] a secret in an error is masked for people', async () => {
    const secret = 'sk-proj-Zk3vQ8mT1xW6yB0nC5dF7gH9jL2pR4sU';
    const opened = await openTestWorld({ script: [{ fail: new ProviderError('auth', `bad key ${secret}`) }] });
    await opened.chat.send('hi');
    await opened.chat.settled();
    expect(JSON.stringify([opened.events, await opened.chat.messages()])).not.toContain(secret);
  });
});

function rejected(reason: unknown): Promise<void> {
  const { promise, reject } = deferred();
  reject(reason);
  return promise;
}

describe('an invalid provider', () => {
  const call = (more: object) => ({ type: 'tool_calls', content: '', usage, tool_calls: [{ id: 'x', ...more }] });
  const unreadable = new Proxy(new Error('x'), {
    get: () => {
      throw new Error('no');
    },
  });

  it.each<[string, (request: GenerateRequest) => unknown]>([
    ['resolves nothing', () => Promise.resolve(undefined)],
    ['resolves null', () => Promise.resolve(null)],
    ['resolves a text', () => Promise.resolve('hello')],
    ['resolves an unknown kind', () => Promise.resolve({ type: 'audio', content: 'beep', usage })],
    ['resolves content that is not text', () => Promise.resolve({ type: 'text', content: 42, usage })],
    [
      'resolves calls that are not a list',
      () => Promise.resolve({ type: 'tool_calls', content: '', tool_calls: 7, usage }),
    ],
    ['resolves a call without a function', () => Promise.resolve(call({}))],
    ['resolves a call without a name', () => Promise.resolve(call({ function: { arguments: '{}' } }))],
    ['rejects with a text', () => rejected('out of order')],
    ['rejects with nothing', () => rejected(undefined)],
    ['rejects with an unreadable error', () => rejected(unreadable)],
    [
      'throws synchronously',
      () => {
        throw new Error('at once');
      },
    ],
    ['returns no promise', () => undefined],
  ])('[P4] %s: the turn ends with an error and the chat stays usable', async (_, generate) => {
    const opened = await openWith((request, number) =>
      number === 1 ? generate(request) : Promise.resolve(text('ok')),
    );
    await opened.chat.send('hi');
    expect(await opened.chat.settled()).toBe('idle');
    const { role, content } = await lastMessage(opened);
    expect([role, content]).toEqual(['system', expect.stringMatching(/^Ada could not answer/)]);
    expect(sse(opened).map((event) => event.type)).toEqual(['start', 'error']);
    await opened.chat.send('again');
    await opened.chat.settled();
    expect((await lastMessage(opened)).content).toBe('ok');
    expect(opened.errors).toEqual([]);
  });

  it.each<[string, object]>([
    ['no usage', { type: 'text', content: 'hello' }],
    ['null usage', { type: 'text', content: 'hello', usage: {} }],
    [
      'usage that is not a number',
      { type: 'text', content: 'hello', usage: { inputTokens: 'many', outputTokens: NaN } },
    ],
    ['negative usage', { type: 'text', content: 'hello', usage: { inputTokens: -5, outputTokens: 1.5 } }],
    ['a state that is not JSON', { type: 'text', content: 'hello', usage, providerState: 10n }],
    ['an empty list of calls', { type: 'tool_calls', content: 'hello', tool_calls: [], usage }],
  ])('[P1] an answer with %s is still an answer', async (_, answer) => {
    const opened = await openWith(() => Promise.resolve(answer));
    await opened.chat.send('hi');
    await opened.chat.settled();
    expect(await lastMessage(opened)).toMatchObject({ role: 'assistant', content: 'hello' });
    await opened.chat.send('again');
    await opened.chat.settled();
    expect(await lastMessage(opened)).toMatchObject({ role: 'assistant', content: 'hello' });
    expect(opened.errors).toEqual([]);
  });

  it.each<[string, object, object]>([
    ['no id', { function: { name: 'look', arguments: '{}' } }, { ok: true }],
    ['an id that is a number', { id: 5, function: { name: 'look', arguments: '{}' } }, { ok: true }],
    ['arguments that are an object', { function: { name: 'look', arguments: { deep: 1 } } }, { ok: true }],
    ['no arguments', { function: { name: 'look' } }, { ok: true }],
    ['arguments that are a number', { function: { name: 'look', arguments: 7 } }, { ok: false }],
  ])('[P5] [T1] a call with %s settles, and the turn continues', async (_, made, { ok }: { ok?: boolean }) => {
    const opened = await openWith((_request, number) =>
      Promise.resolve(number === 1 ? { type: 'tool_calls', content: '', usage, tool_calls: [made] } : text('done')),
    );
    await opened.chat.send('hi');
    await opened.chat.settled();
    expect((await lastMessage(opened)).content).toBe('done');
    expect(opened.toolEvents().at(-1)?.type).toBe(ok ? 'TOOL_EXECUTION_SUCCEEDED' : 'TOOL_EXECUTION_FAILED');
  });
});
