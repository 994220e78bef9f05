import type Anthropic from '@anthropic-ai/sdk';
import type { GenerateRequest, LLMResponse, Provider } from '@countersign/core/ports';
import { isRecord, tokensOf } from '../shared/records.js';
import { takesImages } from '../shared/takes-images.js';
import { modelsOf } from '../shared/models-of.js';
import { checkOptions, fromEnvironment, once, readBaseURL, readKey, type ProviderOptions } from '../shared/endpoint.js';
import { NEVER_MS, patientFetch } from '../shared/patient-fetch.js';
import { runCall } from '../shared/run-call.js';
import { refuseSettings, withThinking } from '../shared/settings.js';
import { readMessage, readStream } from './read-answer.js';
import { checkSettings, toRequest } from './to-request.js';

/**
 * Anthropic's models. Key and URL default to `ANTHROPIC_API_KEY` (or the bearer token in `ANTHROPIC_AUTH_TOKEN`) and
 * `ANTHROPIC_BASE_URL`.
 */
export function anthropic(options: ProviderOptions = {}): Provider {
  checkOptions(options, 'anthropic');
  const name = options.name ?? 'anthropic';
  const connect = once(async () => {
    const address = options.baseURL ?? fromEnvironment('ANTHROPIC_BASE_URL');
    const baseURL = address === undefined ? undefined : readBaseURL(address);
    const { credential, secret } = findCredential(options.apiKey);
    const { Anthropic } = await import('@anthropic-ai/sdk');
    const client = new Anthropic({
      ...credential,
      ...(options.apiKey === undefined ? {} : { defaultHeaders: withoutCustomHeaders() }),
      ...(baseURL === undefined ? {} : { baseURL }),
      fetch: patientFetch(options.silenceMs),
      timeout: NEVER_MS,
      // The orchestrator retries and reports failures; SDK retries would multiply the attempts.
      maxRetries: 0,
      logLevel: 'off',
    });
    return { client, address: baseURL, secrets: [secret] };
  });
  return {
    name,
    ...modelsOf(options.contextTokens, async (model, signal) => {
      const { client } = await connect();
      const found = await client.get<unknown>(`/v1/models/${encodeURIComponent(model)}`, { signal });
      const window = isRecord(found) ? tokensOf(found['max_input_tokens']) : undefined;
      return window === undefined ? undefined : { contextTokens: window };
    }),
    takesImages,
    checkSettings,
    async generate(request) {
      refuseSettings(request, checkSettings);
      const { client, address, secrets } = await connect();
      const callee = { name, model: request.model, address, secrets };
      return runCall(callee, request.signal, (signal) =>
        ask(client, request, toRequest(withThinking(request, options.thinking)), name, signal),
      );
    },
  };
}

/** Chooses the credential, because the SDK would otherwise look for one in the user's home folder. */
function findCredential(given: string | undefined) {
  const apiKey = given ?? fromEnvironment('ANTHROPIC_API_KEY');
  const token = apiKey === undefined ? fromEnvironment('ANTHROPIC_AUTH_TOKEN') : undefined;
  const missing = 'Set ANTHROPIC_API_KEY to a key from console.anthropic.com and restart.';
  const secret = readKey(apiKey ?? token, missing);
  return { secret, credential: token === undefined ? { apiKey: secret } : { authToken: secret } };
}

/**
 * Unsets headers that the SDK adds from `ANTHROPIC_CUSTOM_HEADERS`: they would override the given key. The SDK merges by exact name; null instead of
 * undefined would also remove its own `anthropic-version`.
 */
function withoutCustomHeaders(): Record<string, undefined> {
  const lines = (fromEnvironment('ANTHROPIC_CUSTOM_HEADERS') ?? '').split('\n').filter((line) => line.includes(':'));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')).trim(), undefined]));
}

async function ask(
  client: Anthropic,
  request: GenerateRequest,
  body: ReturnType<typeof toRequest>,
  name: string,
  signal: AbortSignal,
): Promise<LLMResponse> {
  // Don't use `messages.create`: it prints a warning to the terminal for older models, and refuses long answers without streaming.
  const post = <T>(stream: boolean) => client.post<T>('/v1/messages', { body: { ...body, stream }, stream, signal });
  if (!request.stream) return readMessage(await post<Anthropic.Message>(false), name);
  return readStream(await post<AsyncIterable<Anthropic.RawMessageStreamEvent>>(true), request, name);
}
