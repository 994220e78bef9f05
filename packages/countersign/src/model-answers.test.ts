import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProviderError, type GenerateRequest } from '@countersign/core/ports';
import { createFakeClock } from '@countersign/core/testing';
import { openSqlite } from '@countersign/storage';
import { describe, expect, it } from 'vitest';
import { systemClock } from './system-clock.js';
import { closeTestWorld, deferred, openTestWorld, tool, type TestWorld } from './testing/fixture.js';
import { breathe, lastMessage, openWith, sse, text, usage } from './testing/model-fixture.js';

async function advanceUntil(opened: TestWorld, clock: { advance(ms: number): void }, ms: number): Promise<void> {
  const settled = opened.chat.settled();
  await breathe();
  clock.advance(ms);
  await settled;
}

describe('streaming', () => {
  it.each([true, false])('[MODEL3] with streaming %s the same answer is published', async (streaming) => {
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
  ])('[MODEL3] [HTTP13] chunks of %s add up to the message by offset, under its id', async (_, content) => {
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

  it('[MODEL3] usage is reported per call and summed over the turn', async () => {
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

  it('[MODEL1] chunks after the end of an answer, or without streaming, are ignored', async () => {
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

  it('[MODEL11.1] thinking is streamed before the answer, masked, and apart from it', async () => {
    const opened = await openTestWorld({
      script: (request) => {
        for (const piece of ['I use password = "hunter2', 'hunter2" here', '.']) request.onThinking?.(piece);
        return 'The answer.';
      },
    });
    await opened.chat.send('go');
    await opened.chat.settled();
    const events = sse(opened);
    const of = (type: string) => events.filter((event) => event.type === type);
    const joined = (type: string) =>
      of(type)
        .map(({ content }) => content ?? '')
        .join('');
    expect(joined('thinking')).toMatch(/^I use password = .* here\.$/);
    expect(joined('thinking')).not.toContain('hunter2hunter2');
    expect(joined('chunk')).toBe('The answer.');
    expect(events.findLastIndex(({ type }) => type === 'thinking')).toBeLessThan(
      events.findIndex(({ type }) => type === 'chunk'),
    );
    let length = 0;
    for (const { offset, content = '' } of of('thinking')) {
      expect(offset).toBe(length);
      length += content.length;
    }
  });

  it('[MODEL4] chunks of a failed attempt are not mixed with those of the next one', async () => {
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
  ])('[MODEL4] %s: the turn ends with an error and the chat stays usable', async (_, generate) => {
    const opened = await openWith((request, number) =>
      number === 1 ? generate(request) : Promise.resolve(text('ok')),
    );
    await opened.chat.send('hi');
    expect(await opened.chat.settled()).toBe('failed');
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
  ])('[MODEL1] an answer with %s is still an answer', async (_, answer) => {
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
  ])('[MODEL5] [TURN1] a call with %s settles, and the turn continues', async (_, made, { ok }: { ok?: boolean }) => {
    const opened = await openWith((_request, number) =>
      Promise.resolve(number === 1 ? { type: 'tool_calls', content: '', usage, tool_calls: [made] } : text('done')),
    );
    await opened.chat.send('hi');
    await opened.chat.settled();
    expect((await lastMessage(opened)).content).toBe('done');
    expect(opened.toolEvents().at(-1)?.type).toBe(ok ? 'TOOL_EXECUTION_SUCCEEDED' : 'TOOL_EXECUTION_FAILED');
  });
});
