import { LLMock } from '@copilotkit/aimock';
import type { ModelMessage } from '@countersign/core/ports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anthropic, google, openai, openaiCompatible } from './index.js';
import { ask, failureOf } from './testing/ask.js';
import { WEATHER } from './testing/wire.js';

/** A vendor mock from another project, so it doesn't share our assumptions about the protocols. */
describe('providers against a third-party mock', () => {
  const mock = new LLMock({ port: 0 });
  const calls = ['Paris', 'Bern'].map((city) => ({ name: 'weather', arguments: JSON.stringify({ city }) }));

  beforeAll(async () => {
    mock.on({ hasToolResult: true, userMessage: 'weather' }, { content: 'Sun in Paris, rain in Bern.' });
    mock.onMessage('weather', { content: 'I will look.', toolCalls: calls });
    mock.onMessage('hello', { content: 'Grüezi 👋, how are you today?' });
    mock.onMessage('slow down', {
      error: { message: 'Too many', type: 'rate_limit_error' },
      status: 429,
      retryAfter: 5,
    });
    mock.onMessage('who are you', { error: { message: 'Bad key', type: 'authentication_error' }, status: 401 });
    mock.onMessage(
      'break',
      { content: 'a long answer that never comes to its end' },
      { truncateAfterChunks: 2, chunkSize: 5 },
    );
    await mock.start();
  });
  afterAll(() => mock.stop());

  const apiKey = 'mock-key';
  const vendors = [
    { vendor: 'openai', connect: () => openai({ apiKey, baseURL: `${mock.url}/v1` }), model: 'gpt-4o' },
    { vendor: 'anthropic', connect: () => anthropic({ apiKey, baseURL: mock.url }), model: 'claude-sonnet-4-5' },
    { vendor: 'google', connect: () => google({ apiKey, baseURL: mock.url }), model: 'gemini-2.5-flash' },
    {
      vendor: 'a compatible server',
      connect: () => openaiCompatible({ name: 'local', baseURL: `${mock.url}/v1` }),
      model: 'llama3.2',
    },
  ];
  const saying = (content: string): ModelMessage[] => [{ role: 'user', content }];

  describe.each(vendors)('$vendor', ({ connect, model }) => {
    it.each([true, false])('[MODEL2] returns text and calls, and sends calls back (streaming: %s)', async (stream) => {
      const provider = connect();
      const chunks: string[] = [];
      const hello = await ask(provider, {
        model,
        stream,
        messages: saying('hello'),
        onChunk: (text) => chunks.push(text),
      });
      expect(hello).toMatchObject({ type: 'text', content: 'Grüezi 👋, how are you today?' });
      expect(chunks.join('')).toBe(stream ? hello.content : '');

      const asked = await ask(provider, { model, stream, messages: saying('weather'), tools: [WEATHER] });
      expect(asked).toMatchObject({ type: 'tool_calls', content: 'I will look.' });
      const asking = asked.type === 'tool_calls' ? asked.tool_calls : [];
      expect(asking.map((call) => call.function)).toEqual(calls);

      const ours = asking.map((call, index) => ({ ...call, id: `call_${index}`, vendorId: call.id }));
      const messages: ModelMessage[] = [
        ...saying('weather'),
        { role: 'assistant', content: asked.content, tool_calls: ours },
        ...ours.map(({ id, vendorId }): ModelMessage => ({
          role: 'tool',
          tool_call_id: id,
          vendorId,
          content: 'fine',
        })),
      ];
      const done = await ask(provider, { model, stream, messages, tools: [WEATHER] });
      expect(done).toMatchObject({ type: 'text', content: 'Sun in Paris, rain in Bern.' });
    });

    it.each([true, false])('[MODEL4] reports its errors (streaming: %s)', async (stream) => {
      const provider = connect();
      const fail = (words: string) => failureOf(ask(provider, { model, stream, messages: saying(words) }));
      expect(await fail('slow down')).toMatchObject({ kind: 'rate-limited', retryAfterMs: 5_000 });
      expect(await fail('who are you')).toMatchObject({ kind: 'auth' });
    });

    it('[MODEL4] treats a truncated stream as an error', async () => {
      const asking = ask(connect(), { model, stream: true, messages: saying('break') });
      expect(await failureOf(asking)).toMatchObject({ kind: 'network', next: 'retry' });
    });
  });
});
