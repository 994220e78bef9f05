import type { Provider } from '@countersign/core/ports';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ask, failureOf } from '../testing/ask.js';
import { openaiWire } from '../testing/openai-wire.js';
import { describeProvider } from '../testing/provider-contract.js';
import { events, json, page, silence, startWireServer, type WireServer } from '../testing/wire-server.js';
import { WEATHER } from '../testing/wire.js';
import { compatibleWith, vendorSettings, openai, openaiCompatible } from './openai.js';
import { toRequest } from './to-request.js';

describeProvider(openaiWire);

const { max_completion_tokens, messages, ...common } = openaiWire.conversation;
const [system, , , ...rest] = messages as unknown[];

describeProvider({
  ...openaiWire,
  vendor: 'a compatible server',
  connect: (url, apiKey) => openaiCompatible({ name: 'local', baseURL: `${url}/v1`, apiKey }),
  conversation: {
    ...common,
    max_tokens: max_completion_tokens,
    messages: [system, { role: 'user', content: 'What is the weather in Paris and Bern?\n\nBob: and hurry' }, ...rest],
  },
});

describe('chat completions', () => {
  let server: WireServer;
  beforeAll(async () => {
    server = await startWireServer();
  });
  afterAll(() => server.close());
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const local = () => openaiCompatible({ name: 'local', baseURL: `${server.url}/v1` });
  const whole = (reply = {}) => json(200, openaiWire.whole({ text: 'ok', ...reply }));
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const call = (delta: object): string => chunk({ tool_calls: [delta] });

  it('[MODEL2.1] reads key and URL from the environment', async () => {
    vi.stubEnv('OPENAI_API_KEY', ' sk-from-env\n');
    vi.stubEnv('OPENAI_BASE_URL', `${server.url}/other`);
    server.will(whole());
    expect(await ask(openai())).toMatchObject({ content: 'ok' });
    expect(server.requests.at(-1)?.path).toBe('/other/chat/completions');
    expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer sk-from-env');
  });

  it('[MODEL4] names the variable for a missing key, and finds the key once it is set', async () => {
    vi.stubEnv('OPENAI_API_KEY', '');
    const provider = openai({ baseURL: `${server.url}/v1` });
    const error = await failureOf(ask(provider));
    expect(error.kind).toBe('no-key');
    expect(error.message).toContain('Set OPENAI_API_KEY');
    vi.stubEnv('OPENAI_API_KEY', 'sk-now');
    server.will(whole());
    expect(await ask(provider)).toMatchObject({ content: 'ok' });
  });

  it('[MODEL2.1] sends nothing meant for OpenAI to another server', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-for-openai-only');
    vi.stubEnv('OPENAI_ADMIN_KEY', 'sk-admin-for-openai-only');
    vi.stubEnv('OPENAI_ORG_ID', 'org-secret');
    vi.stubEnv('OPENAI_PROJECT_ID', 'proj-secret');
    vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'X-Gateway: secret-gateway\nAuthorization: Bearer secret-auth');
    server.will(whole(), whole());
    await ask(local());
    const without = server.requests.at(-1)?.headers;
    expect(without?.authorization).toBeUndefined();
    expect(JSON.stringify(without)).not.toMatch(/secret|openai-only/);
    await ask(openaiCompatible({ name: 'local', baseURL: `${server.url}/v1`, apiKey: 'its-own' }));
    expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer its-own');
  });

  it('[MODEL2.1] sends key and version as Azure expects them', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-for-openai-only');
    const baseURL = `${server.url}/openai/v1/?api-version=preview`;
    server.will(whole());
    await ask(openaiCompatible({ name: 'azure', baseURL, apiKey: 'azure-key', keyHeader: 'api-key' }));
    const { path, headers } = server.requests.at(-1) ?? {};
    expect(path).toBe('/openai/v1/chat/completions?api-version=preview');
    expect(headers?.['api-key']).toBe('azure-key');
    expect(headers?.authorization).toBeUndefined();
    expect(vendorSettings('my.openai.azure.com')).toEqual({ dialect: 'openai', keyHeader: 'api-key' });
    expect(vendorSettings('azure.com.evil.example').keyHeader).toBe('authorization');
  });

  it('[MODEL5] gives Mistral unique call ids of nine characters', () => {
    expect(vendorSettings('api.mistral.ai').dialect).toBe('mistral');
    const calls = ['call_1', 'call_2', 'call_3'].map((id, index) => ({
      id,
      type: 'function' as const,
      function: { name: 'look', arguments: '{}' },
      ...(index === 2 ? { vendorId: 'D681PevKs' } : { vendorId: 'chatcmpl-tool-too-long' }),
    }));
    const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'x' }));
    const { messages: sent } = toRequest(
      {
        purpose: 'answer',
        model: 'mistral-large',
        messages: [{ role: 'assistant', content: '', tool_calls: calls }, ...results],
        tools: [],
        stream: false,
        onChunk: () => undefined,
        signal: new AbortController().signal,
      },
      'mistral',
    );
    const [first, ...answers] = sent as { tool_calls?: { id: string }[]; tool_call_id?: string }[];
    const ids = first?.tool_calls?.map(({ id }) => id) ?? [];
    expect(ids.every((id) => /^[A-Za-z0-9]{9}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(3);
    expect(ids[2]).toBe('D681PevKs');
    expect(answers.map(({ tool_call_id }) => tool_call_id)).toEqual(ids);
  });

  it('[MODEL10.1] sends the model settings of an agent', async () => {
    const asked = async (provider: Provider, settings: object) => {
      server.will(whole());
      await ask(provider, settings);
      return server.requests.at(-1)?.body;
    };
    const settings = { topP: 0.9, parallelToolCalls: false, thinking: 'low' };
    expect(await asked(local(), { ...settings, tools: [WEATHER] })).toMatchObject({
      top_p: 0.9,
      parallel_tool_calls: false,
      reasoning_effort: 'low',
    });
    expect(await asked(local(), { ...settings, tools: [] })).not.toHaveProperty('parallel_tool_calls');
    expect(await asked(local(), { thinking: 'off' })).toMatchObject({ reasoning_effort: 'none' });
    const router = compatibleWith({ name: 'router', baseURL: `${server.url}/v1` }, { dialect: 'openrouter' });
    expect(await asked(router, { thinking: 3_000 })).toMatchObject({ reasoning: { max_tokens: 3_000 } });
  });

  it('[MODEL10.2] refuses a token budget for thinking, which chat completions has no field for', async () => {
    const problem = local().checkSettings?.('some-model', { thinking: 3_000 });
    expect(problem?.field).toBe('thinking');
    await expect(ask(local(), { thinking: 3_000 })).rejects.toThrow(problem?.detail);
  });

  it('[MODEL1] requests reasoning if configured, but not for titles', async () => {
    const thinker = openaiCompatible({ name: 'local', baseURL: `${server.url}/v1`, thinking: 'high' });
    server.will(whole(), whole(), whole());
    await ask(thinker);
    expect(server.requests.at(-1)?.body).toMatchObject({ reasoning_effort: 'high' });
    await ask(thinker, { purpose: 'title' });
    expect(server.requests.at(-1)?.body).not.toHaveProperty('reasoning_effort');
    await ask(local());
    expect(server.requests.at(-1)?.body).not.toHaveProperty('reasoning_effort');
  });

  it('[MODEL4] reports a timeout as retryable', async () => {
    server.will(
      silence(
        () => undefined,
        () => undefined,
      ),
    );
    const impatient = openaiCompatible({ name: 'local', baseURL: `${server.url}/v1`, silenceMs: 50 });
    const error = await failureOf(ask(impatient));
    expect([error.kind, error.next]).toEqual(['network', 'retry']);
    expect(error.message).toContain('timed out');
  });

  it('[MODEL2] keeps parallel calls with equal indexes separate', async () => {
    const one = { index: 0, id: 'a', function: { name: 'look', arguments: '{"n":1}' } };
    const two = { index: 0, id: 'b', function: { name: 'look', arguments: '{"n":2}' } };
    server.will(events([call(one), call(two), chunk({}, 'stop')]));
    const response = await ask(local(), { stream: true });
    expect(response.type === 'tool_calls' && response.tool_calls.map((asked) => asked.function.arguments)).toEqual([
      '{"n":1}',
      '{"n":2}',
    ]);
  });

  it('[MODEL2] joins calls without indexes, and accepts arguments as an object', async () => {
    server.will(
      events([
        call({ id: 'a', function: { name: 'look', arguments: '{"n"' } }),
        call({ function: { arguments: ':1}' } }),
        call({ id: 'a', function: { name: 'look', arguments: { n: 2 } } }),
        chunk({}, 'tool_calls'),
      ]),
    );
    const response = await ask(local(), { stream: true });
    expect(response.type === 'tool_calls' && response.tool_calls).toEqual([
      { id: 'a', type: 'function', function: { name: 'look', arguments: '{"n":1}' } },
      { id: 'a', type: 'function', function: { name: 'look', arguments: '{"n":2}' } },
    ]);
  });

  it('[MODEL3] treats the usage as the end if a server sends no finish reason', async () => {
    const usage = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 4, completion_tokens: 2 } })}\n\n`;
    server.will(events([chunk({ content: 'hi' }), usage]));
    expect(await ask(local(), { stream: true })).toEqual({
      type: 'text',
      content: 'hi',
      usage: { inputTokens: 4, outputTokens: 2 },
    });
    expect(server.requests.at(-1)?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it('[MODEL1] sends encrypted reasoning back as one item, only next to calls', async () => {
    const asked = call({ index: 0, id: 'a', function: { name: 'look', arguments: '{}' } });
    const detail = (more: object): string =>
      chunk({ reasoning_details: [{ type: 'reasoning.text', index: 0, signature: null, ...more }] });
    server.will(
      events([detail({ text: 'I ' }), detail({ text: 'think', signature: 'sig' }), asked, chunk({}, 'stop')]),
    );
    const response = await ask(local(), { stream: true });
    expect(response.providerState).toEqual({
      version: 1,
      reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'I think', signature: 'sig' }],
    });
    server.will(events([chunk({ reasoning_content: 'hm' }), chunk({ content: 'done' }, 'stop')]));
    expect(await ask(local(), { stream: true })).not.toHaveProperty('providerState');
  });

  it('[MODEL1] accepts text in parts, and treats a refusal as the answer', async () => {
    const message = {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: [] },
        { type: 'text', text: 'hi' },
      ],
    };
    server.will(json(200, { choices: [{ message, finish_reason: 'stop' }] }));
    expect(await ask(local())).toMatchObject({
      type: 'text',
      content: 'hi',
      usage: { inputTokens: 0, outputTokens: 0 },
    });
    const refusal = { role: 'assistant', content: null, refusal: 'I will not.' };
    server.will(json(200, { choices: [{ message: refusal, finish_reason: 'stop' }] }));
    expect(await ask(local())).toMatchObject({ type: 'text', content: 'I will not.' });
  });

  it.each([
    [
      'an account without credit',
      429,
      { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } },
      'auth',
      'no credit',
    ],
    ['a gateway without credit', 402, { error: { message: 'Insufficient credits', code: 402 } }, 'auth', 'no credit'],
    [
      'an error in a response with status 200',
      200,
      { error: { message: 'Provider down', code: 502 } },
      'overloaded',
      'Provider down',
    ],
    [
      'a model that Ollama does not have',
      404,
      { error: 'model "some-model" not found, try pulling it first' },
      'bad-request',
      'has no model "some-model"',
    ],
    ['a page that is not an API', 404, 'nothing here', 'bad-request', 'Check the base URL'],
    [
      'a conversation too long for a local server',
      400,
      { error: { message: 'the request exceeds the available context size', type: 'exceed_context_size_error' } },
      'context-too-long',
      'context size',
    ],
    ['a body that is too large', 413, { error: { message: 'Request too large' } }, 'context-too-long', 'too large'],
    [
      'unsupported settings',
      400,
      { error: { message: "Unsupported value: 'temperature'", type: 'invalid_request_error' } },
      'bad-request',
      'temperature',
    ],
    ['a broken gateway', 502, '<html>Bad gateway</html>', 'overloaded', 'Bad gateway'],
    ['a web page with status 200', 200, '<html>Log in</html>', 'overloaded', 'empty response'],
    [
      'a filter',
      200,
      { choices: [{ message: { content: null }, finish_reason: 'content_filter' }] },
      'bad-request',
      'blocked the answer',
    ],
  ])('[MODEL4] classifies %s', async (_, status, body, kind, words) => {
    server.will(typeof body === 'string' ? page(status, body) : json(status, body));
    const error = await failureOf(ask(local()));
    expect(error.kind).toBe(kind);
    expect(error.message).toContain(words);
  });

  it.each([
    ['not-a-url', 'the base URL is invalid'],
    ['ftp://127.0.0.1/v1', 'http'],
    ['http://me:secret-word@127.0.0.1/v1', 'password'],
  ])('[MODEL4] rejects the base URL %s with a message', async (baseURL, words) => {
    vi.stubEnv('OPENAI_BASE_URL', baseURL);
    const error = await failureOf(ask(openai({ apiKey: 'sk-test' })));
    expect(error).toMatchObject({ kind: 'bad-request', next: 'person' });
    expect(error.message).toContain(words);
    expect(error.message).not.toContain('secret-word');
    const given = expect.objectContaining({
      field: 'baseURL',
      message: expect.stringContaining(words) as string,
    }) as Error;
    expect(() => openaiCompatible({ name: 'local', baseURL })).toThrow(given);
  });

  it('[MODEL4] reports an unknown host', async () => {
    // Longer than a host name may be, so it fails without a DNS request.
    const nowhere = `${'x'.repeat(64)}.invalid`;
    const error = await failureOf(ask(openaiCompatible({ name: 'local', baseURL: `http://${nowhere}/v1` })));
    expect(error).toMatchObject({ kind: 'network', next: 'retry' });
    expect(error.message).toContain(`the host ${nowhere} was not found`);
  });

  it('[MODEL2] looks up the context size of models, or takes it from an option', () => {
    expect(openai().contextTokens?.('gpt-4o-mini')).toBe(128_000);
    expect(local().contextTokens?.('llama3.2')).toBeUndefined();
    const told = openaiCompatible({ name: 'local', baseURL: server.url, contextTokens: 8_192 });
    expect(told.contextTokens?.('llama3.2')).toBe(8_192);
  });
});
