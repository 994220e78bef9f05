import type { GenerateRequest, LLMResponse, Provider } from '@countersign/core/ports';
import type OpenAI from 'openai';
import type { ClientOptions } from 'openai';
import { takesImages } from '../shared/takes-images.js';
import { modelsOf } from '../shared/models-of.js';
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
import { refuseSettings, withThinking, type CheckSettings } from '../shared/settings.js';
import { askModel } from './ask-model.js';
import type { Dialect } from './dialect.js';
import { readCompletion, readStream } from './read-answer.js';
import { askResponses } from './responses/ask-responses.js';
import { checkSettings, toRequest } from './to-request.js';

/**
 * OpenAI's models through chat completions, or through the responses API for thinking. Key and URL default to `OPENAI_API_KEY` and
 * `OPENAI_BASE_URL`.
 */
export function openai(options: ProviderOptions = {}): Provider {
  checkOptions(options, 'openai');
  const name = options.name ?? 'openai';
  return openaiProvider({ name, dialect: 'openai' }, options, () => {
    const missing = 'Set OPENAI_API_KEY to a key from platform.openai.com/api-keys and restart.';
    const address = options.baseURL ?? fromEnvironment('OPENAI_BASE_URL');
    return {
      address: address === undefined ? undefined : readBaseURL(address),
      key: readKey(options.apiKey ?? fromEnvironment('OPENAI_API_KEY'), missing),
      client: {},
    };
  });
}

export interface CompatibleOptions extends ProviderOptions {
  name: string;
  baseURL: string;
  /** The header for the key. Azure uses `api-key`, which is the default for its hosts. */
  keyHeader?: 'authorization' | 'api-key';
}

/**
 * Any server with the chat completions API: Ollama, LM Studio, vLLM, OpenRouter, xAI, Azure, Mistral. A key is needed only if the server
 * requires one.
 */
export function openaiCompatible(options: CompatibleOptions): Provider {
  checkOptions(options, 'openaiCompatible', { keyHeader: true });
  const { keyHeader } = options;
  return compatibleWith(options, keyHeader === undefined ? {} : { keyHeader });
}

/** Like `openaiCompatible`, for a known vendor behind any host name. */
export function compatibleWith(
  options: ProviderOptions & { name: string; baseURL: string },
  known: Partial<ReturnType<typeof vendorSettings>> & { responses?: 'always' },
): Provider {
  // The first call reports an invalid URL.
  const hostname = URL.canParse(options.baseURL) ? new URL(options.baseURL).hostname : '';
  const { responses, ...vendor } = known;
  const { dialect, keyHeader } = { ...vendorSettings(hostname), ...vendor };
  return openaiProvider({ name: options.name, dialect, responses }, options, () => {
    const key = options.apiKey === undefined ? undefined : readKey(options.apiKey, 'The apiKey option is empty.');
    return {
      address: readBaseURL(options.baseURL),
      key,
      // Otherwise, the SDK would send OpenAI's key, organization and headers from the environment to this server.
      client: { organization: null, project: null, defaultHeaders: ownHeaders(key, keyHeader) },
    };
  });
}

/** Vendor differences, by host name. */
export function vendorSettings(hostname: string): { dialect: Dialect; keyHeader: 'authorization' | 'api-key' } {
  // OpenAI's own models, hosted by Azure.
  if (hostname.endsWith('.azure.com')) return { dialect: 'openai', keyHeader: 'api-key' };
  if (hostname === 'openrouter.ai' || hostname.endsWith('.openrouter.ai'))
    return { dialect: 'openrouter', keyHeader: 'authorization' };
  if (hostname.endsWith('.mistral.ai')) return { dialect: 'mistral', keyHeader: 'authorization' };
  return { dialect: 'compatible', keyHeader: 'authorization' };
}

/** Other servers with OpenAI's models may not support the responses API. */
export function isOpenai(address: string | undefined): boolean {
  return address === undefined || new URL(address).hostname === 'api.openai.com';
}

/** The lists of OpenAI and Azure don't contain the context window. */
function saysWindow(address: string | undefined): boolean {
  return !isOpenai(address) && address !== undefined && !new URL(address).hostname.endsWith('.azure.com');
}

interface Connection {
  address: string | undefined;
  key: string | undefined;
  client: ClientOptions;
}

function openaiProvider(
  { name, dialect, responses }: { name: string; dialect: Dialect; responses?: 'always' | undefined },
  options: ProviderOptions,
  findServer: () => Connection,
): Provider {
  const check: CheckSettings = (_, settings) => checkSettings(dialect, settings);
  const connect = once(async () => {
    const { address, key, client } = findServer();
    const split = address === undefined ? undefined : splitQuery(address);
    const { OpenAI } = await import('openai');
    const connected = new OpenAI({
      ...client,
      apiKey: key ?? 'none',
      ...(split === undefined ? {} : { baseURL: split.baseURL, defaultQuery: split.query }),
      fetch: patientFetch(options.silenceMs),
      timeout: NEVER_MS,
      // The orchestrator retries and reports failures; SDK retries would multiply the attempts.
      maxRetries: 0,
      logLevel: 'off',
    });
    return { client: connected, address, secrets: key === undefined ? [] : [key] };
  });
  return {
    name,
    ...modelsOf(options.contextTokens, async (model, signal) => {
      const { client, address } = await connect();
      return saysWindow(address) ? await askModel(client, model, signal) : undefined;
    }),
    takesImages,
    checkSettings: check,
    async generate(request) {
      refuseSettings(request, check);
      const { client, address, secrets } = await connect();
      const callee = { name, model: request.model, address, secrets };
      const asked = withThinking(request, options.thinking);
      const isThinking = asked.thinking !== undefined && asked.thinking !== 'off';
      const usesResponses = responses === 'always' || (isThinking && dialect === 'openai' && isOpenai(address));
      return runCall(callee, request.signal, (signal) =>
        usesResponses
          ? askResponses(client, asked, name, signal)
          : ask(client, request, toRequest(asked, dialect), name, signal),
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
  return readStream(await completions.create(streaming, { signal }), request, name);
}

/** Unsets headers that the SDK adds from `OPENAI_CUSTOM_HEADERS`, and sends a key only if one is configured. */
function ownHeaders(key: string | undefined, header: 'authorization' | 'api-key'): Record<string, string | null> {
  const lines = fromEnvironment('OPENAI_CUSTOM_HEADERS')?.split('\n') ?? [];
  const foreign = lines
    .map((line) => line.slice(0, Math.max(0, line.indexOf(':'))).trim())
    .filter((name) => name !== '');
  const none = Object.fromEntries(foreign.map((name) => [name.toLowerCase(), null]));
  const value = key !== undefined && header === 'authorization' ? `Bearer ${key}` : (key ?? null);
  return { ...none, authorization: null, [header]: value };
}
