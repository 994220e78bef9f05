import { ProviderError, type GenerateRequest, type LLMResponse, type Provider } from '@countersign/core/ports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONVERSATION, STREAMING, WEATHER, WHOLE, type Reply, type VendorError, type Wire } from './wire.js';
import {
  events,
  eventsThenHangUp,
  eventsThenSilence,
  halfOf,
  json,
  silence,
  startWireServer,
  type Answer,
  type WireServer,
} from './wire-server.js';

const KEY = 'sk-test-5ecret5ecret5ecret';

/** The contract for every provider, over real HTTP against a server that speaks its vendor's protocol (MODEL2). */
export function describeProvider(wire: Wire): void {
  describe(`a provider for ${wire.vendor}`, () => {
    let server: WireServer;
    let provider: Provider;

    beforeAll(async () => {
      server = await startWireServer();
      provider = wire.connect(server.url, KEY);
    });
    afterAll(() => server.close());

    const ask = (stream: boolean, more: Partial<GenerateRequest> = {}): Promise<LLMResponse> =>
      provider.generate({
        purpose: 'answer',
        model: wire.model,
        messages: [{ role: 'user', content: 'hello' }],
        tools: [WEATHER],
        stream,
        onChunk: () => undefined,
        signal: new AbortController().signal,
        ...more,
      });
    const answerWith = (reply: Reply, stream: boolean): Answer =>
      stream ? events(wire.frames(reply)) : json(200, wire.whole(reply));
    const getting = async (reply: Reply, stream: boolean, more: Partial<GenerateRequest> = {}) => {
      server.will(answerWith(reply, stream));
      return ask(stream, more);
    };
    const failing = async (
      answer: Answer,
      stream: boolean,
      more: Partial<GenerateRequest> = {},
    ): Promise<ProviderError> => {
      server.will(answer);
      const before = server.requests.length;
      const error = await ask(stream, more).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (!(error instanceof ProviderError)) throw new Error(`expected a ProviderError, not ${String(error)}`);
      expect(server.requests.length).toBe(before + 1);
      expect(error.message).not.toContain(KEY);
      return error;
    };
    const vendorError = ({ status, body }: VendorError, headers: Record<string, string> = {}): Answer =>
      json(status, body, headers);
    const lastBody = (): unknown => server.requests.at(-1)?.body;

    const both: Reply = {
      text: 'Let me look. Ça va, 日本 👩‍👩‍👧‍👦',
      calls: [
        { id: 'theirs_1', name: 'weather', arguments: '{"city":"Zürich 🌧"}' },
        { id: 'theirs_2', name: 'weather', arguments: '{"city":"Bern","days":[1,2.5,null]}' },
      ],
      usage: { input: 12, output: 34 },
    };

    describe.each([STREAMING, WHOLE])('$how', ({ stream }) => {
      it('[MODEL1, MODEL2] returns text', async () => {
        const reply = { text: 'Grüezi 日本 👋\n\n  ok ', usage: { input: 7, output: 3 } };
        expect(await getting(reply, stream)).toEqual({
          type: 'text',
          content: reply.text,
          usage: { inputTokens: 7, outputTokens: 3 },
        });
        expect(server.requests.at(-1)?.path).toBe(wire.path(stream));
      });

      it('[MODEL1] reports text as it arrives, only when streaming', async () => {
        const chunks: string[] = [];
        const response = await getting(both, stream, { onChunk: (text) => chunks.push(text) });
        expect(chunks.join('')).toBe(stream ? response.content : '');
        expect(chunks.length > 1).toBe(stream);
        expect(chunks).not.toContain('');
      });

      it('[MODEL2] returns parallel calls in order, with their text', async () => {
        expect(await getting(both, stream)).toEqual({
          type: 'tool_calls',
          content: both.text,
          tool_calls: both.calls?.map(({ id, name, arguments: args }) => ({
            id,
            type: 'function',
            function: { name, arguments: args },
          })),
          usage: { inputTokens: 12, outputTokens: 34 },
        });
      });

      it('[MODEL2] returns calls without text', async () => {
        const response = await getting({ calls: both.calls ?? [] }, stream);
        expect(response).toMatchObject({ type: 'tool_calls', content: '' });
      });

      it('[MODEL2] accepts an empty answer', async () => {
        expect(await getting({ text: '', usage: { input: 5, output: 0 } }, stream)).toMatchObject({
          type: 'text',
          content: '',
        });
      });

      it('[MODEL5] passes repeated and empty ids through', async () => {
        const calls = ['same', 'same', ''].map((id) => ({ id, name: 'weather', arguments: '{"city":"Bern"}' }));
        const response = await getting({ calls }, stream);
        expect(response.type === 'tool_calls' && response.tool_calls.map(({ id }) => id)).toEqual(['same', 'same', '']);
      });

      it('[MODEL2] accepts arguments of one megabyte', async () => {
        const args = JSON.stringify({ city: 'é"\\\n'.repeat(200_000) });
        const response = await getting({ calls: [{ id: 'theirs_1', name: 'weather', arguments: args }] }, stream);
        expect(response.type === 'tool_calls' && response.tool_calls[0]?.function.arguments === args).toBe(true);
        expect(args.length).toBeGreaterThan(1_000_000);
      });

      it('[MODEL1, MODEL2] sends all calls of a message together, with their results in order', async () => {
        await getting({ text: 'done' }, stream, { messages: CONVERSATION, temperature: 0.5, maxTokens: 100 });
        const { stream: _, stream_options: __, ...body } = { ...(lastBody() as Record<string, unknown>) };
        expect(body).toEqual(wire.conversation);
      });

      it('[MODEL12] sends images of results in the vendor’s format', async () => {
        const images = [{ mimeType: 'image/png' as const, data: 'aW1hZ2U=' }];
        const messages = CONVERSATION.map((message) =>
          message.role === 'tool' && message.vendorId === 'theirs_1' ? { ...message, images } : message,
        );
        await getting({ text: 'done' }, stream, { messages });
        expect(JSON.stringify(lastBody())).toContain(JSON.stringify(wire.withImage).slice(1, -1));
        expect(provider.takesImages?.(wire.model)).toBe(true);
        expect(provider.takesImages?.('unknown-model')).toBe(false);
      });

      it('[MODEL12.2] sends images of messages after their text', async () => {
        const images = [{ mimeType: 'image/png' as const, data: 'aW1hZ2U=' }];
        await getting({ text: 'done' }, stream, { messages: [{ role: 'user', content: 'what is this?', images }] });
        const sent = JSON.stringify(lastBody());
        expect(sent.indexOf('aW1hZ2U=')).toBeGreaterThan(sent.indexOf('what is this?'));
        expect(sent).toContain('image/png');
      });

      it('[MODEL1] sends signed thinking back unchanged', async () => {
        const calls = both.calls ?? [];
        const response = await getting({ calls, text: 'hm', sealed: 'c2VhbGVk' }, stream);
        expect(response.providerState).toBeDefined();
        const stored: unknown = JSON.parse(JSON.stringify(response.providerState));
        const past = { role: 'assistant' as const, content: response.content, tool_calls: ourCalls(response) };
        const results = past.tool_calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'x' }));
        const question = { role: 'user' as const, content: 'hello' };
        await getting({ text: 'done' }, stream, {
          messages: [question, { ...past, providerState: stored }, ...results],
        });
        expect(wire.sealedBack(lastBody(), 'c2VhbGVk')).toBe(true);
        await getting({ text: 'done' }, stream, { messages: [question, past, ...results] });
        expect(JSON.stringify(lastBody())).not.toContain('c2VhbGVk');
      });

      it('[MODEL11] returns thinking separately from the answer', async () => {
        const chunks: string[] = [];
        const onChunk = (text: string): void => void chunks.push(text);
        const thoughts: string[] = [];
        const onThinking = (text: string): void => void thoughts.push(text);
        const asked = { onChunk, onThinking };
        const response = await getting({ text: 'sun', thinking: '@Bob weather()' }, stream, asked);
        expect(response).toMatchObject({ type: 'text', content: 'sun', thinking: '@Bob weather()' });
        expect(chunks.join('')).toBe(stream ? 'sun' : '');
        expect(thoughts.join('')).toBe(stream ? '@Bob weather()' : '');
        const plain = await getting({ text: 'sun' }, stream);
        expect(plain).not.toHaveProperty('thinking');
      });

      it('[MODEL4] treats a connection that breaks during the answer as an error', async () => {
        const answer = stream ? eventsThenHangUp(wire.frames(both).slice(0, 3)) : halfOf(wire.whole(both));
        expect(await failing(answer, stream)).toMatchObject({ kind: 'network', next: 'retry' });
      });

      it('[MODEL4] treats an empty response as an error', async () => {
        const answer = stream ? events(wire.empty.frames) : json(200, wire.empty.whole);
        expect(await failing(answer, stream)).toMatchObject({ kind: 'overloaded', next: 'retry' });
      });

      it('[MODEL4] reports a rejected key without showing it', async () => {
        const { status, body } = wire.errors.auth;
        const leaking = JSON.parse(JSON.stringify(body).replace('KEY', KEY)) as unknown;
        expect(await failing(json(status, leaking), stream)).toMatchObject({ kind: 'auth', next: 'person' });
      });

      it('[MODEL4] reads the retry delay from every source', async () => {
        const told = wire.errors['rate-limited'];
        const inSeconds = await failing(vendorError(told, { 'retry-after': '7' }), stream);
        expect(inSeconds).toMatchObject({ kind: 'rate-limited', next: 'retry', retryAfterMs: 7_000 });
        const inMs = await failing(vendorError(told, { 'retry-after-ms': '1250', 'retry-after': '9' }), stream);
        expect(inMs.retryAfterMs).toBe(1_250);
        const date = new Date(Date.now() + 3_600_000).toUTCString();
        const byDate = await failing(vendorError(told, { 'retry-after': date }), stream);
        expect(byDate.retryAfterMs).toBeGreaterThan(3_000_000);
        expect(byDate.retryAfterMs).toBeLessThanOrEqual(3_600_000);
      });

      it('[MODEL4] distinguishes an overloaded vendor from a request that is invalid or too long', async () => {
        expect(await failing(vendorError(wire.errors.overloaded), stream)).toMatchObject({ kind: 'overloaded' });
        const tooLong = await failing(vendorError(wire.errors['context-too-long']), stream);
        expect(tooLong).toMatchObject({ kind: 'context-too-long', next: 'person' });
        const unknown = await failing(vendorError(wire.errors['unknown-model']), stream);
        expect(unknown).toMatchObject({ kind: 'bad-request', next: 'person' });
        expect(unknown.message).toContain(`has no model "${wire.model}"`);
      });

      it('[MODEL4] can be aborted immediately, and closes the connection', async () => {
        const controller = new AbortController();
        const abort = (): void => controller.abort();
        const hungUp = new Promise<void>((resolve) => {
          server.will(stream ? eventsThenSilence(wire.frames(both).slice(0, 3), resolve) : silence(abort, resolve));
        });
        const asking = ask(stream, { signal: controller.signal, onChunk: abort });
        await expect(asking).rejects.toMatchObject({ kind: 'aborted', next: 'nobody' });
        await hungUp;
      });

      it('[MODEL4] sends nothing if already aborted', async () => {
        const asked = server.requests.length;
        await expect(ask(stream, { signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: 'aborted' });
        expect(server.requests.length).toBe(asked);
      });

      it('[MODEL4] reports a refused connection', async () => {
        const request = { messages: [{ role: 'user' as const, content: 'hello' }] };
        provider = wire.connect('http://127.0.0.1:9', KEY);
        try {
          const failed = ask(stream, request);
          await expect(failed).rejects.toMatchObject({ kind: 'network', next: 'retry' });
          await expect(failed).rejects.toThrow('connection refused at 127.0.0.1:9');
        } finally {
          provider = wire.connect(server.url, KEY);
        }
      });

      it('[MODEL4] fails without a key before anything is sent', async () => {
        const asked = server.requests.length;
        const bad = wire.connect(server.url, 'sk-tést');
        await expect(
          bad.generate({
            purpose: 'answer',
            model: wire.model,
            messages: [],
            tools: [],
            stream,
            onChunk: () => undefined,
            signal: new AbortController().signal,
          }),
        ).rejects.toMatchObject({ kind: 'auth' });
        expect(server.requests.length).toBe(asked);
      });
    });

    it.each(wire.textArguments)('[MODEL1] keeps invalid arguments as the model sent them, $how', async ({ stream }) => {
      const args = '{"city": "Par';
      const response = await getting({ calls: [{ id: 'theirs_1', name: 'weather', arguments: args }] }, stream);
      expect(response.type === 'tool_calls' && response.tool_calls[0]?.function.arguments).toBe(args);
    });

    it('[MODEL3] returns the same answer with and without streaming', async () => {
      for (const reply of [both, { text: 'hm' }, { ...both, sealed: 'c2VhbGVk' }]) {
        expect(await getting(reply, true)).toEqual(await getting(reply, false));
      }
    });

    it('[MODEL4] reports an error in the middle of a stream', async () => {
      const chunks: string[] = [];
      const frames = [...wire.frames(both).slice(0, 3), wire.midStreamError];
      const error = await failing(events(frames), true, { onChunk: (text) => chunks.push(text) });
      expect(error).toMatchObject({ kind: wire.midStreamKind, next: 'retry' });
      expect(chunks.join('')).not.toBe('');
    });

    it('[MODEL4] closes the connection if the vendor fails but keeps it open', async () => {
      const frames = [...wire.frames(both).slice(0, 3), wire.midStreamError];
      const hungUp = new Promise<void>((resolve) => {
        server.will(eventsThenSilence(frames, resolve));
      });
      await expect(ask(true)).rejects.toMatchObject({ kind: wire.midStreamKind });
      await hungUp;
    });

    it('[MODEL4] returns no answer after an abort, even if the answer is complete', async () => {
      const controller = new AbortController();
      server.will((response) => response.end(wire.frames({ text: 'hello there' }).join('')));
      const asking = ask(true, { signal: controller.signal, onChunk: () => controller.abort() });
      await expect(asking).rejects.toMatchObject({ kind: 'aborted' });
    });

    it('[MODEL4] treats a stream that ends without a final event as truncated', async () => {
      expect(await failing(events(wire.frames(both).slice(0, 3)), true)).toMatchObject({ kind: 'network' });
      expect(await failing(events([]), true)).toMatchObject({ kind: 'network' });
    });

    it('[MODEL2] sends no tools if there are none', async () => {
      await getting({ text: 'A title' }, false, { tools: [], purpose: 'title' });
      expect(JSON.stringify(lastBody())).not.toContain('"tools"');
    });
  });
}

/** The calls with our own ids, as the orchestrator sends them. */
function ourCalls(response: LLMResponse) {
  if (response.type !== 'tool_calls') throw new Error('expected calls');
  return response.tool_calls.map((call, index) => ({ ...call, id: `call_ours${index}`, vendorId: call.id }));
}
