import type { ModelMessage } from '@countersign/core/ports';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ask, failureOf } from '../testing/ask.js';
import { googleWire } from '../testing/google-wire.js';
import { describeProvider } from '../testing/provider-contract.js';
import { events, json, startWireServer, type WireServer } from '../testing/wire-server.js';
import { google } from './google.js';

describeProvider(googleWire);

describe('Google contents', () => {
  let server: WireServer;
  beforeAll(async () => {
    server = await startWireServer();
  });
  afterAll(() => server.close());
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const provider = () => google({ baseURL: server.url, apiKey: 'AIza-test' });
  const reply = (parts: readonly object[], finishReason?: string) => ({
    candidates: [{ content: { role: 'model', parts }, finishReason }],
  });
  const frame = (body: object): string => `data: ${JSON.stringify(body)}\n\n`;
  /** The request that Google gets for these messages. */
  const sent = async (messages: readonly ModelMessage[], model = 'gemini-2.5-flash') => {
    server.will(json(200, reply([{ text: 'ok' }], 'STOP')));
    await ask(provider(), { messages, model });
    return server.requests.at(-1)?.body;
  };
  const call = (id: string, vendorId?: string) => ({
    id,
    type: 'function' as const,
    function: { name: 'look', arguments: '{}' },
    ...(vendorId === undefined ? {} : { vendorId }),
  });
  const question: ModelMessage = { role: 'user', content: 'hi' };

  it('[MODEL2] reads key and URL from the environment, and uses no cloud project', async () => {
    vi.stubEnv('GOOGLE_API_KEY', '');
    vi.stubEnv('GEMINI_API_KEY', '');
    vi.stubEnv('GOOGLE_GENAI_USE_VERTEXAI', 'true');
    vi.stubEnv('GOOGLE_GEMINI_BASE_URL', server.url);
    const error = await failureOf(ask(google()));
    expect(error.kind).toBe('no-key');
    expect(error.message).toContain('GEMINI_API_KEY');
    vi.stubEnv('GEMINI_API_KEY', 'AIza-env');
    server.will(json(200, reply([{ text: 'ok' }], 'STOP')));
    await ask(google());
    expect(server.requests.at(-1)?.path).toBe('/v1beta/models/some-model:generateContent');
    expect(server.requests.at(-1)?.headers['x-goog-api-key']).toBe('AIza-env');
  });

  it('[MODEL10.1] sends the model settings of an agent', async () => {
    const asked = async (settings: object) => {
      server.will(json(200, reply([{ text: 'ok' }], 'STOP')));
      await ask(google({ baseURL: server.url, apiKey: 'AIza-test' }), { maxTokens: 1_000, ...settings });
      return server.requests.at(-1)?.body;
    };
    expect(await asked({ model: 'gemini-2.5-flash', thinking: 512, topP: 0.9 })).toMatchObject({
      generationConfig: {
        thinkingConfig: { thinkingBudget: 512, includeThoughts: true },
        maxOutputTokens: 1_512,
        topP: 0.9,
      },
    });
    expect(await asked({ model: 'gemini-2.5-flash', thinking: 'off' })).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingBudget: 0 }, maxOutputTokens: 1_000 },
    });
    expect(await asked({ model: 'gemini-3-flash', thinking: 'high', parallelToolCalls: true })).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true } },
    });
  });

  it.each([
    ['parallelToolCalls', 'gemini-2.5-flash', { parallelToolCalls: false }],
    ['thinking', 'gemini-2.5-pro', { thinking: 'off' as const }],
    ['thinking', 'gemini-3-pro', { thinking: 'off' as const }],
    ['thinking', 'gemini-3-pro', { thinking: 512 }],
  ])('[MODEL10.2] refuses %s for %s: %o', async (field, model, settings) => {
    const provider = google({ baseURL: server.url, apiKey: 'AIza-test' });
    const problem = provider.checkSettings?.(model, settings);
    expect(problem?.field).toBe(field);
    await expect(ask(provider, { model, ...settings })).rejects.toThrow(problem?.detail);
  });

  it('[MODEL1] requests thinking by token budget or level', async () => {
    const thinker = google({ baseURL: server.url, apiKey: 'AIza-test', thinking: 'low' });
    const asked = async (model: string, more: object = {}) => {
      server.will(json(200, reply([{ text: 'ok' }], 'STOP')));
      await ask(thinker, { model, maxTokens: 1_000, ...more });
      return server.requests.at(-1)?.body;
    };
    expect(await asked('gemini-2.5-flash')).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingBudget: 2_048 }, maxOutputTokens: 3_048 },
    });
    expect(await asked('gemini-3-pro-preview')).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingLevel: 'LOW' } },
    });
    expect(await asked('gemini-2.5-flash', { purpose: 'title' })).toMatchObject({
      generationConfig: { maxOutputTokens: 1_000 },
    });
  });

  it('[MODEL2] keeps parallel calls of one tool separate', async () => {
    const twin = { functionCall: { name: 'look', args: {} } };
    server.will(events([frame(reply([twin, twin])), frame(reply([twin], 'STOP'))]));
    const response = await ask(provider(), { stream: true });
    expect(response.type === 'tool_calls' && response.tool_calls).toHaveLength(3);
    const calls = [call('call_1'), call('call_2'), call('call_3')];
    const results = calls.map(({ id }): ModelMessage => ({ role: 'tool', tool_call_id: id, content: id }));
    const body = await sent([question, { role: 'assistant', content: '', tool_calls: calls }, ...results, question]);
    expect(body).toMatchObject({
      contents: [
        {},
        { role: 'model', parts: calls.map(({ id }) => ({ functionCall: { id, name: 'look' } })) },
        { role: 'user', parts: calls.map(({ id }) => ({ functionResponse: { id, response: { output: id } } })) },
        { role: 'user', parts: [{ text: 'hi' }] },
      ],
    });
  });

  it('[MODEL12] sends images inside the function response to newer models', async () => {
    const images = [{ mimeType: 'image/png' as const, data: 'aW1hZ2U=' }];
    const result: ModelMessage = { role: 'tool', tool_call_id: 'call_1', content: 'x', images };
    const messages = [question, { role: 'assistant' as const, content: '', tool_calls: [call('call_1')] }, result];
    server.will(json(200, reply([{ text: 'ok' }], 'STOP')));
    await ask(provider(), { model: 'gemini-3-flash', messages });
    expect(server.requests.at(-1)?.body).toMatchObject({
      contents: [{}, {}, { parts: [{ functionResponse: { parts: [{ inlineData: images[0] }] } }] }],
    });
  });

  it('[MODEL1] sends thoughts and signatures back in place', async () => {
    const signed = [
      { text: 'thinking…', thought: true },
      { text: 'Looking.', thoughtSignature: 'c2ln' },
      { functionCall: { id: 'g1', name: 'look', args: {} }, thoughtSignature: 'c2lnMg==' },
    ];
    server.will(json(200, reply(signed, 'STOP')));
    const whole = await ask(provider());
    expect(whole.content).toBe('Looking.');
    server.will(
      events([
        frame(reply([{ text: 'think', thought: true }])),
        frame(reply([{ text: 'ing…', thought: true }])),
        frame(reply([{ text: 'Look' }])),
        frame(reply([{ text: 'ing.' }])),
        frame(reply([{ text: '', thoughtSignature: 'c2ln' }])),
        frame(reply(signed.slice(2), 'STOP')),
      ]),
    );
    const chunks: string[] = [];
    expect(await ask(provider(), { stream: true, onChunk: (text) => chunks.push(text) })).toEqual(whole);
    expect(chunks).toEqual(['Look', 'ing.']);
    const past = { role: 'assistant' as const, content: 'Looking.', tool_calls: [call('call_1', 'g1')] };
    const result: ModelMessage = { role: 'tool', tool_call_id: 'call_1', vendorId: 'g1', content: 'x' };
    const body = await sent([question, { ...past, providerState: whole.providerState }, result]);
    expect(body).toMatchObject({ contents: [{}, { role: 'model', parts: signed }, {}] });
  });

  it('[MODEL1] never merges two signed parts', async () => {
    const signed = [
      { text: 'one', thoughtSignature: 'MQ==' },
      { text: ' two', thoughtSignature: 'Mg==' },
    ];
    server.will(json(200, reply(signed, 'STOP')));
    const { content, providerState } = await ask(provider());
    const body = await sent([question, { role: 'assistant', content, providerState }, question]);
    expect(body).toMatchObject({ contents: [{}, { role: 'model', parts: signed }, {}] });
  });

  it('[MODEL1] adds a signature to other models’ calls for models that reject unsigned ones', async () => {
    const past: ModelMessage = { role: 'assistant', content: '', tool_calls: [call('call_1'), call('call_2')] };
    const results = ['call_1', 'call_2'].map((id): ModelMessage => ({ role: 'tool', tool_call_id: id, content: 'x' }));
    const signatures = async (model: string) => {
      const body = (await sent([question, past, ...results], model)) as { contents: { parts: object[] }[] };
      return body.contents[1]?.parts.map((part) => ('thoughtSignature' in part ? part.thoughtSignature : undefined));
    };
    expect(await signatures('gemini-2.5-pro')).toEqual([undefined, undefined]);
    expect(await signatures('gemini-3-pro-preview')).toEqual(['skip_thought_signature_validator', undefined]);
  });

  it('[MODEL3] counts thoughts as output', async () => {
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 2, thoughtsTokenCount: 30 };
    server.will(json(200, { ...reply([{ text: 'ok' }], 'STOP'), usageMetadata }));
    expect((await ask(provider())).usage).toEqual({ inputTokens: 10, outputTokens: 32 });
  });

  it('[MODEL2] starts with a user message and sends no empty text', async () => {
    const body = await sent([
      { role: 'assistant', content: 'hello' },
      { role: 'user', content: '' },
    ]);
    expect(body).toMatchObject({
      contents: [
        { role: 'user', parts: [{ text: '(the conversation began earlier)' }] },
        { role: 'model', parts: [{ text: 'hello' }] },
        { role: 'user', parts: [{ text: '(empty message)' }] },
      ],
    });
  });

  it.each([
    [
      'a blocked prompt',
      { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } },
      'bad-request',
      'PROHIBITED_CONTENT',
    ],
    ['a blocked answer', { candidates: [{ finishReason: 'SAFETY' }] }, 'bad-request', 'SAFETY'],
    [
      'a malformed call',
      { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] },
      'overloaded',
      'a malformed call',
    ],
  ])('[MODEL4] reports %s, streaming and not', async (_, body, kind, words) => {
    server.will(json(200, body), events([frame(body)]));
    for (const stream of [false, true]) {
      const error = await failureOf(ask(provider(), { stream }));
      expect(error.kind).toBe(kind);
      expect(error.message).toContain(words);
    }
  });

  it('[MODEL4] reads the retry delay from the error details', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3.5s' }];
    server.will(json(429, { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Quota exceeded', details } }));
    const error = await failureOf(ask(provider()));
    expect(error).toMatchObject({ kind: 'rate-limited', retryAfterMs: 3_500, message: 'Quota exceeded' });
  });
});
