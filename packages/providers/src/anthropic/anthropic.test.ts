import type { ModelMessage } from '@countersign/core/ports';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { anthropicWire } from '../testing/anthropic-wire.js';
import { ask, failureOf } from '../testing/ask.js';
import { describeProvider } from '../testing/provider-contract.js';
import { WEATHER } from '../testing/wire.js';
import { json, startWireServer, type WireServer } from '../testing/wire-server.js';
import { anthropic } from './anthropic.js';

describeProvider(anthropicWire);

describe('Anthropic messages', () => {
  let server: WireServer;
  beforeAll(async () => {
    server = await startWireServer();
  });
  afterAll(() => server.close());
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const provider = () => anthropic({ baseURL: server.url, apiKey: 'sk-ant-test' });
  const saying = (content: readonly object[], more: object = {}) =>
    json(200, { type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage: {}, ...more });
  /** The request that Anthropic gets for these messages. */
  const sent = async (messages: readonly ModelMessage[]) => {
    server.will(saying([{ type: 'text', text: 'ok' }]));
    await ask(provider(), { messages });
    return server.requests.at(-1)?.body;
  };
  const call = (id: string, vendorId?: string, args = '{}') => ({
    id,
    type: 'function' as const,
    function: { name: 'look', arguments: args },
    ...(vendorId === undefined ? {} : { vendorId }),
  });

  it('[MODEL2] reads key, token and base URL from the environment', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', '');
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', '');
    vi.stubEnv('ANTHROPIC_BASE_URL', server.url);
    const error = await failureOf(ask(anthropic()));
    expect(error.kind).toBe('no-key');
    expect(error.message).toContain('ANTHROPIC_API_KEY');
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'a-token');
    server.will(saying([{ type: 'text', text: 'ok' }]));
    await ask(anthropic());
    expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer a-token');
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-ant-env');
    server.will(saying([{ type: 'text', text: 'ok' }]));
    await ask(anthropic());
    expect(JSON.stringify(server.requests.at(-1)?.headers)).toContain('sk-ant-env');
  });

  it('[MODEL2] [MODEL7] sends its own key and no headers from the environment if a key is given', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-ant-env');
    const asked = async () => {
      server.will(saying([{ type: 'text', text: 'ok' }]));
      await ask(provider());
      return server.requests.at(-1)?.headers;
    };
    const usual = await asked();
    expect(usual?.authorization).toBe('Bearer sk-ant-test');
    const lines = [
      'X-Gateway: env-secret',
      'Authorization: Bearer env-auth',
      'x-api-key:env-key',
      'Anthropic-Version: env',
    ];
    vi.stubEnv('ANTHROPIC_CUSTOM_HEADERS', lines.join('\r\n'));
    expect(await asked()).toEqual(usual);
  });

  it('[MODEL1] requests thinking by token budget or effort, and leaves room for the answer', async () => {
    const thinker = anthropic({ baseURL: server.url, apiKey: 'sk-ant-test', thinking: 'medium' });
    const asked = async (model: string, more: object = {}) => {
      server.will(saying([{ type: 'text', text: 'ok' }]));
      await ask(thinker, { model, temperature: 0.5, maxTokens: 1_000, ...more });
      return server.requests.at(-1)?.body;
    };
    for (const model of [
      'claude-3-7-sonnet-20250219',
      'claude-sonnet-4-20250514',
      'claude-sonnet-4-5',
      'claude-opus-4-1',
    ]) {
      const body = await asked(model);
      expect(body).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 8_192 }, max_tokens: 9_192 });
      expect(body).not.toHaveProperty('temperature');
    }
    expect(await asked('claude-opus-5')).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'medium' },
      max_tokens: 9_192,
    });
    const title = await asked('claude-opus-5', { purpose: 'title' });
    expect(title).toMatchObject({ temperature: 0.5, max_tokens: 1_000 });
    expect(title).not.toHaveProperty('thinking');
  });

  it('[MODEL10.1] sends the model settings of an agent', async () => {
    const asked = async (settings: object) => {
      server.will(saying([{ type: 'text', text: 'ok' }]));
      await ask(provider(), { maxTokens: 1_000, tools: [WEATHER], ...settings });
      return server.requests.at(-1)?.body;
    };
    const budget = await asked({ model: 'claude-sonnet-4-5', thinking: 4_000, parallelToolCalls: false });
    expect(budget).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: 4_000 },
      max_tokens: 5_000,
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    });
    expect(await asked({ model: 'claude-opus-5', thinking: 'low' })).toMatchObject({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'low' },
    });
    expect(await asked({ model: 'claude-opus-5', thinking: 'off', topP: 0.9 })).toMatchObject({
      thinking: { type: 'disabled' },
      top_p: 0.9,
      max_tokens: 1_000,
    });
    const old = await asked({ model: 'claude-sonnet-4-5', thinking: 'off', parallelToolCalls: true });
    expect(old).not.toHaveProperty('thinking');
    expect(old).not.toHaveProperty('tool_choice');
  });

  it.each([
    ['temperature', 'claude-opus-5', { temperature: 0.5, thinking: 'low' as const }],
    ['temperature', 'claude-opus-5', { temperature: 1.5 }],
    ['topP', 'claude-opus-5', { topP: 0.5, thinking: 'low' as const }],
    ['topP', 'claude-opus-5', { topP: 0.5, temperature: 0.5 }],
    ['thinking', 'claude-opus-5', { thinking: 8_000 }],
    ['thinking', 'claude-sonnet-4-5', { thinking: 500 }],
  ])('[MODEL10.2] refuses %s for %s: %o', async (field, model, settings) => {
    const problem = provider().checkSettings?.(model, settings);
    expect(problem?.field).toBe(field);
    const asked = server.requests.length;
    await expect(ask(provider(), { model, ...settings })).rejects.toThrow(problem?.detail);
    expect(server.requests.length).toBe(asked);
  });

  it('[MODEL1] sends thinking blocks back in place, signed and redacted', async () => {
    const content = [
      { type: 'thinking', thinking: 'first', signature: 's1' },
      { type: 'redacted_thinking', data: 'enc' },
      { type: 'text', text: 'Looking.' },
      { type: 'thinking', thinking: 'then', signature: 's2' },
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: { n: 1 } },
    ];
    server.will(saying(content, { stop_reason: 'tool_use' }));
    const { providerState } = await ask(provider());
    const past = {
      role: 'assistant' as const,
      content: 'Looking.',
      tool_calls: [call('call_1', 'toolu_1', '{"n":1}')],
    };
    const result = { role: 'tool' as const, tool_call_id: 'call_1', vendorId: 'toolu_1', content: 'x' };
    const body = await sent([{ role: 'user', content: 'hi' }, { ...past, providerState }, result]);
    expect(body).toMatchObject({ messages: [{}, { role: 'assistant', content }, {}] });
    const foreign = await sent([{ role: 'user', content: 'hi' }, { ...past, providerState: { other: 1 } }, result]);
    expect(foreign).toMatchObject({ messages: [{}, { content: [content[2], content[4]] }, {}] });
  });

  it('[MODEL1] omits the thinking if the answer was changed afterwards', async () => {
    server.will(
      saying([
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'text', text: '@Ada hello' },
      ]),
    );
    const { providerState } = await ask(provider());
    const past: ModelMessage = { role: 'assistant', content: 'hello', providerState };
    const body = await sent([{ role: 'user', content: 'hi' }, past, { role: 'user', content: 'more' }]);
    expect(body).toMatchObject({ messages: [{}, { content: [{ type: 'text', text: 'hello' }] }, {}] });
  });

  it('[MODEL5] replaces a repeated or invalid vendor id with ours', async () => {
    const calls = [call('call_1', 'same'), call('call_2', 'same'), call('call_3', 'odd id!'), call('call_4')];
    const results = calls.map(({ id }): ModelMessage => ({ role: 'tool', tool_call_id: id, content: id }));
    const body = await sent([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: '', tool_calls: calls },
      ...results,
    ]);
    const ids = ['same', 'call_2', 'call_3', 'call_4'];
    expect(body).toMatchObject({
      messages: [
        {},
        { content: ids.map((id) => ({ type: 'tool_use', id })) },
        { content: ids.map((tool_use_id, index) => ({ tool_use_id, content: `call_${index + 1}` })) },
      ],
    });
  });

  it('[MODEL2] avoids everything that Anthropic rejects: blank texts, a leading assistant message, calls without tools', async () => {
    const body = await sent([
      { role: 'assistant', content: ' \n', tool_calls: [call('call_1', undefined, '[1]')] },
      { role: 'tool', tool_call_id: 'call_1', content: 'x' },
      { role: 'user', content: '' },
      { role: 'assistant', content: '' },
      { role: 'user', name: 'Bob\nB', content: 'hey' },
    ]);
    expect(body).toEqual({
      model: 'some-model',
      max_tokens: 8_192,
      stream: false,
      messages: [
        { role: 'user', content: [{ type: 'text', text: '(the conversation began earlier)' }] },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'call_1', name: 'look', input: { unparsable: '[1]' } }],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: 'x' },
            { type: 'text', text: '(empty message)' },
            { type: 'text', text: 'Bob B: hey' },
          ],
        },
      ],
      tools: [{ name: 'look', description: 'Not available now.', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    });
  });

  it('[MODEL3] counts cached tokens as input', async () => {
    const usage = { input_tokens: 1, cache_read_input_tokens: 20, cache_creation_input_tokens: 300, output_tokens: 5 };
    server.will(saying([{ type: 'text', text: 'ok' }], { usage }));
    expect((await ask(provider())).usage).toEqual({ inputTokens: 321, outputTokens: 5 });
  });

  it('[MODEL1] accepts a long answer without streaming', async () => {
    server.will(saying([{ type: 'text', text: 'ok' }]));
    expect(await ask(provider(), { maxTokens: 64_000 })).toMatchObject({ content: 'ok' });
  });

  it.each([
    ['refusal', 'bad-request'],
    ['model_context_window_exceeded', 'context-too-long'],
  ])('[MODEL4] treats an empty answer with %s as a failure', async (stop_reason, kind) => {
    server.will(saying([], { stop_reason }));
    expect((await failureOf(ask(provider()))).kind).toBe(kind);
  });

  it.each([
    [
      'an account without credit',
      400,
      'invalid_request_error',
      'Your credit balance is too low to access the API.',
      'auth',
    ],
    ['a key without permission', 403, 'permission_error', 'no access', 'auth'],
    ['a request that is too large', 413, 'request_too_large', 'Request exceeds the maximum size', 'context-too-long'],
    ['a server error', 500, 'api_error', 'Internal server error', 'overloaded'],
    ['an invalid request', 400, 'invalid_request_error', 'temperature: range: 0..1', 'bad-request'],
  ])('[MODEL4] classifies %s', async (_, status, type, message, kind) => {
    server.will(json(status, { type: 'error', error: { type, message } }));
    const error = await failureOf(ask(provider()));
    expect(error.kind).toBe(kind);
    expect(error.message).toContain(message);
  });
});
