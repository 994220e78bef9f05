import { describe, expect, it } from 'vitest';
import { parseRequest } from '../input/parse-input.js';
import {
  isUnencrypted,
  newProviderSchema,
  PROVIDER_KINDS,
  providerChangeSchema,
  providerKindFacts,
} from './providers.js';

const KEY = 'sk-Ab3dEf6hIj9kLmN0pQrStUvWx2z4';
const good = { kind: 'openai', name: 'OpenAI', apiKey: KEY };

function refused(change: Record<string, unknown>): { field?: string; message: string } {
  try {
    // Round-trips through JSON, which has no undefined.
    parseRequest(newProviderSchema, JSON.parse(JSON.stringify({ ...good, ...change })), 'body');
  } catch (error) {
    return error as { field?: string; message: string };
  }
  throw new Error('it was accepted');
}

describe('a new provider', () => {
  it('[MODEL7.6] has a known kind; an unknown one is refused with the list and a suggestion', () => {
    const kinds = Object.keys(PROVIDER_KINDS);
    expect(kinds.join(' ')).toBe(
      'openai anthropic google azure openrouter mistral groq xai vllm lmstudio ollama openai-compatible',
    );
    const { field, message } = refused({ kind: 'opnai' });
    expect(field).toBe('kind');
    expect(message).toBe(`kind: unknown provider kind "opnai". Did you mean openai? Use one of ${kinds.join(', ')}`);
    expect(refused({ kind: undefined }).message).toBe('kind: is missing');
  });

  it('[MODEL7.3] has a usable URL, and an error never quotes it', () => {
    const bad = [
      ['localhost:8000', 'must begin with http:// or https://'],
      ['models', 'not a valid URL'],
      ['', 'must not be empty'],
      ['file:///etc/passwd', 'must begin with http:// or https://'],
      ['https://me:secret@host/v1', 'must not contain a user name or password'],
      ['https://host/v1?key=secret', 'must not contain parameters other than api-version'],
      ['http://169.254.169.254/secret', 'must not be a link-local address'],
      ['https://host/v1#secret', 'must not contain a fragment (#…)'],
      ['https://host/\nsecret', 'must not contain spaces or line breaks'],
    ] as const;
    for (const [baseUrl, words] of bad) {
      const { field, message } = refused({ baseUrl });
      expect([baseUrl, field]).toEqual([baseUrl, 'baseUrl']);
      expect(message).toContain(`baseUrl: ${words}`);
      expect(message).not.toContain('secret');
    }
    const azure = { ...good, kind: 'azure', baseUrl: 'https://x.openai.azure.com/openai/v1?api-version=preview' };
    expect(parseRequest(newProviderSchema, azure, 'body')).toEqual(azure);
  });

  it('[MODEL7.3] [MODEL8] has a key that fits into a header, and an error never quotes it', () => {
    for (const apiKey of [
      `${KEY}\n`,
      `${KEY}\r\nX-Evil: 1`,
      `${KEY} `,
      `\u0007${KEY}`,
      `${KEY}é`,
      '',
      'x'.repeat(5000),
    ]) {
      const { field, message } = refused({ apiKey });
      expect(field).toBe('apiKey');
      expect(message).not.toContain(KEY);
    }
  });

  it('[MODEL7.3] has all fields that its kind requires', () => {
    expect(refused({ apiKey: undefined }).message).toBe('apiKey: OpenAI needs an API key');
    expect(refused({ kind: 'azure' }).message).toMatch(/^baseUrl: Azure OpenAI has no default URL/);
    for (const name of ['', ' ', 'a\nb', '-x', 'x'.repeat(65)]) expect(refused({ name }).field).toBe('name');
    expect(refused({ id: 'mine' }).field).toBe('id');
    const local = { kind: 'ollama', name: 'Ollama (gpu-box, 2nd.)' };
    expect(refused({ ...local, apiKey: undefined }).field).toBe('name');
    expect(parseRequest(newProviderSchema, { kind: 'ollama', name: 'Ollama (gpu-box 2)' }, 'body')).toBeDefined();
  });
});

it('[MODEL7] every kind has a default URL or an example', () => {
  for (const kind of Object.keys(PROVIDER_KINDS) as (keyof typeof PROVIDER_KINDS)[]) {
    const { baseUrl, example, key, keyPage } = providerKindFacts(kind);
    expect(URL.canParse(baseUrl ?? example ?? '')).toBe(true);
    expect(keyPage !== undefined).toBe(key === 'required');
  }
});

it('[MODEL7.3] a change may reset the URL and remove the key', () => {
  const change = { baseUrl: null, apiKey: null };
  expect(parseRequest(providerChangeSchema, change, 'body')).toEqual(change);
  expect(() => parseRequest(providerChangeSchema, { id: 'other' }, 'body')).toThrow('id');
});

it('[MODEL7.9] recognizes URLs that send a key unencrypted to another machine', () => {
  for (const url of ['http://gpu:8000/v1', 'HTTP://10.0.0.2', 'http://localhost.example/v1', 'http://[fe80::1]:80'])
    expect(isUnencrypted(url)).toBe(true);
  for (const url of ['https://gpu/v1', 'http://localhost:1', 'http://127.0.0.1/v1', 'http://[::1]:8000', 'nonsense'])
    expect(isUnencrypted(url)).toBe(false);
});
