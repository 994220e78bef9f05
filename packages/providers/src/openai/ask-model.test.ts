import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anthropic } from '../anthropic/anthropic.js';
import { google } from '../google/google.js';
import { json, startWireServer, type Answer, type WireServer } from '../testing/wire-server.js';
import { openai, openaiCompatible } from './openai.js';

let server: WireServer;
beforeAll(async () => {
  server = await startWireServer();
});
afterAll(() => server.close());
beforeEach(() => server.requests.splice(0));

const apiKey = 'sk-Ab3dEf6hIj9kLmN0pQrStUvWx2z4';
const compatible = () => openaiCompatible({ name: 'local', baseURL: `${server.url}/v1`, apiKey });
const listOf = (item: object) => json(200, { object: 'list', data: [{ id: 'other' }, item] });
const paths = () => server.requests.map(({ path }) => path);

describe('[WORLD15.2] the context window', () => {
  it.each([
    ['vLLM', { id: 'llama', max_model_len: 8_192 }],
    ['OpenRouter', { id: 'llama', context_length: 8_192 }],
    ['LM Studio, as loaded', { id: 'llama', max_context_length: 131_072, loaded_context_length: 8_192 }],
  ])('is in the list of %s, and asked for once', async (_, item) => {
    const provider = compatible();
    expect(provider.contextTokens?.('llama')).toBeUndefined();
    server.will(listOf(item));
    await Promise.all([provider.learnModel?.('llama'), provider.learnModel?.('llama')]);
    expect(provider.contextTokens?.('llama')).toBe(8_192);
    expect(provider.learnModel?.('llama')).toBeUndefined();
    expect(paths()).toEqual(['/v1/models']);
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
  });

  it.each([
    ['is loaded', [json(200, { models: [{ name: 'gpt-oss:latest', context_length: 4_096 }] })], 4_096],
    ['sets it', [json(200, { models: [] }), json(200, { parameters: 'stop "x"\nnum_ctx    16384\n' })], 16_384],
    // Loaded with less than it could do, so its own maximum says nothing.
    ['could do more', [json(200, { models: [] }), json(200, { model_info: { 'x.context_length': 131_072 } })], 128_000],
    ['can only do less', [json(200, { models: [] }), json(200, { model_info: { 'x.context_length': 2_048 } })], 2_048],
  ])('of Ollama is the one with which the model runs: one that %s', async (_, answers, tokens) => {
    const provider = compatible();
    server.will(listOf({ id: 'gpt-oss:latest', owned_by: 'library' }), ...answers);
    await provider.learnModel?.('gpt-oss');
    expect(provider.contextTokens?.('gpt-oss')).toBe(tokens);
    expect(paths().slice(0, 2)).toEqual(['/v1/models', '/api/ps']);
  });

  it('[MODEL3.1] comes with the price, if the list has both prices', async () => {
    const provider = compatible();
    expect(provider.price?.('llama')).toBeUndefined();
    server.will(listOf({ id: 'llama', pricing: { prompt: '0.0000005', completion: '0.000002' } }));
    await provider.learnModel?.('llama');
    expect(provider.price?.('llama')).toEqual({ input: 0.5, output: 2 });
    const other = compatible();
    server.will(listOf({ id: 'llama', context_length: 8_192, pricing: { prompt: '0.0000005', completion: '-1' } }));
    await other.learnModel?.('llama');
    expect([other.contextTokens?.('llama'), other.price?.('llama')]).toEqual([8_192, undefined]);
  });

  it('of LM Studio comes from its own API', async () => {
    const provider = compatible();
    const loaded = { id: 'llama', max_context_length: 131_072, loaded_context_length: 4_096 };
    server.will(listOf({ id: 'llama', owned_by: 'organization_owner' }), listOf(loaded));
    await provider.learnModel?.('llama');
    expect(provider.contextTokens?.('llama')).toBe(4_096);
    expect(paths()).toEqual(['/v1/models', '/api/v0/models']);
  });

  it('of Anthropic and Google comes from the model itself', async () => {
    const claude = anthropic({ baseURL: server.url, apiKey });
    server.will(json(200, { type: 'model', id: 'claude-x', max_input_tokens: 1_000_000 }));
    await claude.learnModel?.('claude-x');
    expect(claude.contextTokens?.('claude-x')).toBe(1_000_000);
    const gemini = google({ baseURL: server.url, apiKey });
    server.will(json(200, { name: 'models/gemini-x', inputTokenLimit: 65_536 }));
    await gemini.learnModel?.('gemini-x');
    expect(gemini.contextTokens?.('gemini-x')).toBe(65_536);
    expect(paths()).toEqual(['/v1/models/claude-x', '/v1beta/models/gemini-x']);
  });

  it('is never a reason to fail: an error, nonsense and a lost connection leave the table or the default', async () => {
    const lost: Answer = (response) => void response.destroy();
    const odd = listOf({ id: 'gpt-4o', context_length: 'big' });
    for (const answer of [json(500, {}), json(200, { data: 'none' }), odd, lost]) {
      const provider = compatible();
      server.will(answer);
      await provider.learnModel?.('gpt-4o');
      expect(provider.contextTokens?.('gpt-4o')).toBe(128_000);
      // It isn't asked again at once.
      expect(provider.learnModel?.('gpt-4o')).toBeUndefined();
    }
  });

  it('is not asked for if it is set, or at OpenAI, whose list has none', async () => {
    const set = openaiCompatible({ name: 'local', baseURL: `${server.url}/v1`, contextTokens: 4_096 });
    expect(set.learnModel?.('llama')).toBeUndefined();
    await openai({ apiKey }).learnModel?.('gpt-4o');
    expect(paths()).toEqual([]);
  });
});
