import { createServer, type AddressInfo } from 'node:net';
import { ProviderError } from '@countersign/core/ports';
import { PROVIDER_KINDS, type ProviderKind } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anthropicWire } from '../testing/anthropic-wire.js';
import { googleWire } from '../testing/google-wire.js';
import { openaiWire } from '../testing/openai-wire.js';
import { json, page, silence, startWireServer, type WireServer } from '../testing/wire-server.js';
import type { Wire } from '../testing/wire.js';
import { listModels } from './list-models.js';
import { fullBaseUrl, type ProviderConfig } from './provider-config.js';
import { explainFailure, testProvider } from './test-provider.js';

const KEY = 'sk-Ab3dEf6hIj9kLmN0pQrStUvWx2z4';
/** Long enough for any machine. */
const PATIENT_MS = 100_000;

let server: WireServer;
beforeAll(async () => {
  server = await startWireServer();
});
afterAll(() => server.close());

function config(kind: ProviderKind, change: Partial<ProviderConfig> = {}): ProviderConfig {
  return { id: 'work', kind, baseUrl: fullBaseUrl(kind, server.url), apiKey: KEY, ...change };
}
const test = (given: ProviderConfig, model?: string) =>
  testProvider(given, { timeoutMs: PATIENT_MS, ...(model === undefined ? {} : { model }) });

const wires: readonly (readonly [ProviderKind, Wire])[] = [
  ['openai', openaiWire],
  ['anthropic', anthropicWire],
  ['google', googleWire],
];

describe.each(wires)('testing a provider of kind %s', (kind, wire) => {
  const fail = (name: keyof Wire['errors']) => json(wire.errors[name].status, wire.errors[name].body);

  it('[MODEL9.1] asks the model for an answer', async () => {
    server.will(json(200, wire.whole({ text: 'OK' })));
    const detail = `The model ${wire.model} answered.`;
    expect(await test(config(kind), wire.model)).toMatchObject({ ok: true, code: 'ok', detail });
    expect(server.requests.at(-1)?.path).toContain(wire.path(false));
    expect(JSON.stringify(server.requests.at(-1)?.headers)).toContain(KEY);
  });

  it('[MODEL9.1] explains a wrong key, a rate limit, an overload and an unknown model, and quotes no key', async () => {
    const cases = [
      ['auth', 'wrong-key'],
      ['rate-limited', 'rate-limited'],
      ['overloaded', 'overloaded'],
    ] as const;
    for (const [name, code] of cases) {
      server.will(fail(name), fail(name));
      for (const model of [wire.model, undefined]) {
        const result = await test(config(kind), model);
        expect(result).toMatchObject({ ok: false, code, detail: expect.stringContaining('127.0.0.1') as string });
        expect(result.detail).not.toContain(KEY);
      }
    }
    const models = kind === 'google' ? { models: [{ name: `models/${wire.model}` }] } : { data: [{ id: wire.model }] };
    server.will(fail('unknown-model'), json(200, models));
    const result = await test(config(kind), `${wire.model}x`);
    expect(result).toMatchObject({ ok: false, code: 'unknown-model', closest: wire.model });
  });
});

describe('testing an address', () => {
  it('[MODEL9.1] explains a refused connection', async () => {
    const probe = createServer();
    await new Promise<void>((resolve) => {
      probe.listen(0, '127.0.0.1', resolve);
    });
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const dead = config('vllm', { baseUrl: `http://127.0.0.1:${port}/v1` });
    const detail = `Connection refused at 127.0.0.1:${port}. Start the server, or correct the base URL.`;
    for (const model of ['m', undefined])
      expect(await test(dead, model)).toMatchObject({ ok: false, code: 'wrong-address', detail });
  });

  it('[MODEL9.1] explains a wrong path, a web page and a redirect', async () => {
    const missing = json(404, { error: { message: 'Not Found' } });
    server.will(missing, missing);
    for (const model of ['m', undefined])
      expect(await test(config('ollama'), model)).toMatchObject({ ok: false, code: 'wrong-address' });
    server.will(page(200, '<html>Welcome</html>'));
    expect(await test(config('ollama'))).toMatchObject({
      code: 'wrong-address',
      detail: expect.stringContaining('did not return JSON') as string,
    });
    const elsewhere = json(302, {}, { location: 'https://evil.example/v1' });
    server.will(elsewhere, elsewhere);
    for (const model of ['m', undefined])
      expect(await test(config('ollama'), model)).toMatchObject({ ok: false, code: 'wrong-address' });
    // A compatible server may have no list of models.
    server.will(missing);
    expect(await test(config('openai-compatible'))).toMatchObject({ ok: false, code: 'model-needed' });
  });

  it('[MODEL9.1] gives up on a slow server, and closes the connection', async () => {
    for (const model of ['m', undefined]) {
      const closed = new Promise<void>((resolve) => server.will(silence(() => undefined, resolve)));
      const result = await testProvider(config('vllm'), { timeoutMs: 50, ...(model === undefined ? {} : { model }) });
      expect(result).toMatchObject({ ok: false, code: 'timeout' });
      expect(result.detail).toContain('did not answer within 0.05 seconds');
      await closed;
    }
  });

  it('[MODEL9.1] distinguishes a missing network from a misspelled host', () => {
    const missing = new ProviderError('network', 'not found', { reason: 'host-not-found' });
    const misspelt = config('vllm', { baseUrl: 'https://gpu-bx.example/v1' });
    expect(explainFailure(misspelt, missing, PATIENT_MS)).toEqual({
      code: 'wrong-address',
      detail: 'The host gpu-bx.example was not found. Check the spelling of the base URL.',
    });
    // The vendor's own host exists.
    const vendor = config('openai', { baseUrl: PROVIDER_KINDS.openai.baseUrl });
    const unreachable = new ProviderError('network', 'network down', { reason: 'unreachable' });
    expect(explainFailure(vendor, missing, PATIENT_MS).code).toBe('no-network');
    expect(explainFailure(misspelt, unreachable, PATIENT_MS).code).toBe('no-network');
  });

  it('[MODEL9.1] [MODEL7] needs a key if its kind requires one, and never takes one from the environment', async () => {
    const before = server.requests.length;
    for (const model of ['m', undefined])
      expect(await test(config('anthropic', { apiKey: undefined }), model)).toMatchObject({ code: 'no-key' });
    expect(server.requests.length).toBe(before);
    server.will(json(200, { data: [] }), json(200, openaiWire.whole({ text: 'OK' })));
    for (const model of [undefined, 'm']) await test(config('ollama', { apiKey: undefined }), model);
    for (const { headers } of server.requests.slice(-2)) expect(headers).not.toHaveProperty('authorization');
  });

  it('[MODEL9.1] also checks the key of OpenRouter, which lists its models without one', async () => {
    server.will(json(200, { data: [{ id: 'a/b' }] }), json(401, { error: { message: 'No auth', code: 401 } }));
    expect(await test(config('openrouter'))).toMatchObject({ ok: false, code: 'wrong-key' });
    expect(server.requests.at(-1)?.path).toBe('/api/v1/key');
  });
});

describe('listing models', () => {
  const list = (given: ProviderConfig) => listModels(given, AbortSignal.timeout(PATIENT_MS));

  it('[MODEL9.2] reads context sizes and prices if the list contains them', async () => {
    const cases: readonly (readonly [ProviderKind, unknown, unknown])[] = [
      [
        'openrouter',
        {
          data: [
            { id: 'a/b', name: 'B', context_length: 8192, pricing: { prompt: '0.0000025', completion: '0.00001' } },
          ],
        },
        [{ id: 'a/b', name: 'B', contextTokens: 8192, inputPrice: 2.5, outputPrice: 10 }],
      ],
      ['vllm', { data: [{ id: 'm', max_model_len: 4096 }] }, [{ id: 'm', contextTokens: 4096 }]],
      ['anthropic', { data: [{ id: 'c', display_name: 'Claude' }] }, [{ id: 'c', name: 'Claude' }]],
      [
        'google',
        {
          models: [
            { name: 'models/g', displayName: 'G', inputTokenLimit: 9, supportedGenerationMethods: ['generateContent'] },
            { name: 'models/e', supportedGenerationMethods: ['embedContent'] },
          ],
        },
        [{ id: 'g', name: 'G', contextTokens: 9 }],
      ],
    ];
    for (const [kind, body, models] of cases) {
      server.will(json(200, body));
      expect(await list(config(kind))).toEqual({ kind: 'models', models });
    }
  });

  it('[MODEL9.2] ignores invalid entries, and is bounded', async () => {
    const strange = [null, 1, 'x', {}, { id: '' }, { id: 'a\u001b[31m' }, { id: 'x'.repeat(300) }];
    const priced = { id: 'ok', context_length: -1, pricing: { prompt: '-1', completion: 'free' } };
    server.will(json(200, { data: [...strange, priced] }));
    expect(await list(config('vllm'))).toEqual({ kind: 'models', models: [{ id: 'ok' }] });
    server.will(json(200, { data: Array.from({ length: 3_000 }, (_, index) => ({ id: `m${index}` })) }));
    expect(await list(config('vllm'))).toMatchObject({ models: { length: 1_000 } });
    server.will(json(200, { data: [{ id: 'x'.repeat(6_000_000) }] }));
    await expect(list(config('vllm'))).rejects.toMatchObject({ reason: 'wrong-path' });
  });

  it('[MODEL9.2] omits models that contain the key', async () => {
    const odd = 'a/key+with=signs';
    for (const apiKey of [KEY, odd]) {
      const echoed = [{ id: apiKey }, { id: `m-${encodeURIComponent(apiKey)}` }, { id: 'm', name: `for ${apiKey}` }];
      server.will(json(200, { data: [...echoed, { id: 'ok' }] }));
      expect(await list(config('vllm', { apiKey }))).toEqual({ kind: 'models', models: [{ id: 'ok' }] });
    }
    server.will(json(200, { models: [{ name: `models/${KEY}` }, { name: 'models/g', displayName: KEY }] }));
    expect(await list(config('google'))).toEqual({ kind: 'models', models: [] });
    // Local servers accept any key, so people enter a common word.
    server.will(json(200, { data: [{ id: 'local' }, { id: 'local-model' }] }));
    expect(await list(config('vllm', { apiKey: 'local' }))).toEqual({
      kind: 'models',
      models: [{ id: 'local-model' }],
    });
  });

  it('[MODEL7] uses the headers of each kind', async () => {
    const headers: Partial<Record<ProviderKind, Record<string, string>>> = {
      azure: { 'api-key': KEY },
      google: { 'x-goog-api-key': KEY },
    };
    for (const kind of Object.keys(PROVIDER_KINDS) as ProviderKind[]) {
      server.will(json(200, { data: [] }));
      await list(config(kind));
      const sent = server.requests.at(-1)?.headers;
      expect(sent).toMatchObject(headers[kind] ?? { authorization: `Bearer ${KEY}` });
      expect(JSON.stringify(sent).split(KEY).length).toBe(2);
    }
  });

  it.each(wires)(
    '[MODEL7] sends the key and API version of kind %s in the same way as model calls',
    async (kind, wire) => {
      server.will(json(200, { data: [] }), json(200, wire.whole({ text: 'OK' })));
      for (const model of [undefined, wire.model]) expect(await test(config(kind), model)).toMatchObject({ ok: true });
      const [listed, called] = server.requests
        .slice(-2)
        .map(({ headers }) =>
          Object.entries(headers).filter(
            ([name, value]) => name === 'anthropic-version' || String(value).includes(KEY),
          ),
        );
      expect(listed).toEqual(called);
    },
  );
});

it('[MODEL7] a base URL without a path gets the default path of its kind', () => {
  expect(fullBaseUrl('ollama', 'http://gpu:11434')).toBe('http://gpu:11434/v1');
  expect(fullBaseUrl('azure', 'https://x.openai.azure.com/')).toBe('https://x.openai.azure.com/openai/v1');
  expect(fullBaseUrl('openai-compatible', 'https://gw/models/v3/')).toBe('https://gw/models/v3');
  expect(fullBaseUrl('anthropic', 'https://gw/')).toBe('https://gw');
  expect(fullBaseUrl('azure', 'https://x/openai/v1/?api-version=preview')).toBe(
    'https://x/openai/v1?api-version=preview',
  );
  expect(fullBaseUrl('groq', undefined)).toBe(PROVIDER_KINDS.groq.baseUrl);
});
