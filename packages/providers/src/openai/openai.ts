import type { GenerateRequest, LLMResponse, Provider } from '@countersign/core/ports';
import type OpenAI from 'openai';
import type { ClientOptions } from 'openai';
import { contextTokens } from '../shared/context-tokens.js';
import {
  checkOptions,
  fromEnvironment,
  once,
  readBaseURL,
  readKey,
  splitQuery,
  type ProviderOptions,
} from '../shared/endpoint.js';
import { NEVER_MS, patientFetch } from '../shared/patient-fetch.js';
import { runCall } from '../shared/run-call.js';
import { readCompletion, readStream } from './read-answer.js';
import { toRequest, type Dialect } from './to-request.js';

/** OpenAI's models through chat completions. Key and address default to `OPENAI_API_KEY` and `OPENAI_BASE_URL`. */
export function openai(options: ProviderOptions = {}): Provider {
  checkOptions(options, 'openai');
  const name = options.name ?? 'openai';
  return chatCompletions(name, options, () => {
    const missing = 'Set OPENAI_API_KEY to a key from platform.openai.com/api-keys and restart.';
    const address = options.baseURL ?? fromEnvironment('OPENAI_BASE_URL');
    return {
      address: address === undefined ? undefined : readBaseURL(address),
      key: readKey(options.apiKey ?? fromEnvironment('OPENAI_API_KEY'), missing),
      dialect: 'openai',
      client: {},
    };
  });
}

export interface CompatibleOptions extends ProviderOptions {
  name: string;
  baseURL: string;
  /** Where the key goes: `api-key` is Azure's way, and what its addresses get unless told. */
  keyHeader?: 'authorization' | 'api-key';
}

/** Any server that speaks chat completions: Ollama, LM Studio, vLLM, OpenRouter, xAI, Azure, Mistral. It needs a key only if the server does. */
export function openaiCompatible(options: CompatibleOptions): Provider {
  checkOptions(options, 'openaiCompatible', { keyHeader: true });
  return chatCompletions(options.name, options, () => {
    const key = options.apiKey === undefined ? undefined : readKey(options.apiKey, 'The apiKey option is empty.');
    const address = readBaseURL(options.baseURL);
    const { dialect, keyHeader } = habitsOf(new URL(address).hostname);
    return {
      address,
      key,
      dialect,
      // The SDK would add what the environment says of OpenAI to every request: key, organisation, headers. They are not this server's.
      client: { organization: null, project: null, defaultHeaders: ownHeaders(key, options.keyHeader ?? keyHeader) },
    };
  });
}

/** What some vendors want otherwise, known by where they live. */
export function habitsOf(hostname: string): { dialect: Dialect; keyHeader: 'authorization' | 'api-key' } {
  // OpenAI's own models, behind another door.
  if (hostname.endsWith('.azure.com')) return { dialect: 'openai', keyHeader: 'api-key' };
  if (hostname.endsWith('.mistral.ai')) return { dialect: 'mistral', keyHeader: 'authorization' };
  return { dialect: 'compatible', keyHeader: 'authorization' };
}

interface Connection {
  address: string | undefined;
  key: string | undefined;
  dialect: Dialect;
  client: ClientOptions;
}

function chatCompletions(name: string, options: ProviderOptions, findServer: () => Connection): Provider {
  const connect = once(async () => {
    const { address, key, dialect, client } = findServer();
    const split = address === undefined ? undefined : splitQuery(address);
    const { OpenAI } = await import('openai');
    const connected = new OpenAI({
      ...client,
      apiKey: key ?? 'none',
      ...(split === undefined ? {} : { baseURL: split.baseURL, defaultQuery: split.query }),
      fetch: patientFetch(options.silenceMs),
      timeout: NEVER_MS,
      // The orchestrator repeats, and says so; a second layer of patience below it would multiply.
      maxRetries: 0,
      logLevel: 'off',
    });
    return { client: connected, dialect, address, secrets: key === undefined ? [] : [key] };
  });
  return {
    name,
    contextTokens: (model) => options.contextTokens ?? contextTokens(model),
    async generate(request) {
      const { client, dialect, address, secrets } = await connect();
      const callee = { name, model: request.model, address, secrets };
      return runCall(callee, request.signal, (signal) =>
        ask(client, request, toRequest(request, dialect, options.thinking), name, signal),
      );
    },
  };
}

async function ask(
  client: OpenAI,
  request: GenerateRequest,
  body: ReturnType<typeof toRequest>,
  name: string,
  signal: AbortSignal,
): Promise<LLMResponse> {
  const { completions } = client.chat;
  if (!request.stream) return readCompletion(await completions.create({ ...body, stream: false }, { signal }), name);
  const streaming = { ...body, stream: true as const, stream_options: { include_usage: true } };
  return readStream(await completions.create(streaming, { signal }), request.onChunk, name);
}

/** Takes back the headers that `OPENAI_CUSTOM_HEADERS` would add, and sends a key only where one was given. */
function ownHeaders(key: string | undefined, header: 'authorization' | 'api-key'): Record<string, string | null> {
  const lines = fromEnvironment('OPENAI_CUSTOM_HEADERS')?.split('\n') ?? [];
  const foreign = lines
    .map((line) => line.slice(0, Math.max(0, line.indexOf(':'))).trim())
    .filter((name) => name !== '');
  const none = Object.fromEntries(foreign.map((name) => [name.toLowerCase(), null]));
  const value = key !== undefined && header === 'authorization' ? `Bearer ${key}` : (key ?? null);
  return { ...none, authorization: null, [header]: value };
}
