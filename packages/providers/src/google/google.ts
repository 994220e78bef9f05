import type { GenerateRequest, LLMResponse, Provider } from '@countersign/core/ports';
import type { GoogleGenAI } from '@google/genai';
import { tokensOf } from '../shared/records.js';
import { takesImages } from '../shared/takes-images.js';
import { modelsOf } from '../shared/models-of.js';
import { checkOptions, fromEnvironment, once, readBaseURL, readKey, type ProviderOptions } from '../shared/endpoint.js';
import { patientFetch } from '../shared/patient-fetch.js';
import { runCall } from '../shared/run-call.js';
import { refuseSettings, withThinking } from '../shared/settings.js';
import { readResponse, readStream } from './read-answer.js';
import { checkSettings, toRequest } from './to-request.js';

/** Google's models. Key and URL default to `GOOGLE_API_KEY` or `GEMINI_API_KEY`, and `GOOGLE_GEMINI_BASE_URL`. */
export function google(options: ProviderOptions = {}): Provider {
  checkOptions(options, 'google');
  const name = options.name ?? 'google';
  const connect = once(async () => {
    const address = options.baseURL ?? fromEnvironment('GOOGLE_GEMINI_BASE_URL');
    const baseUrl = address === undefined ? undefined : readBaseURL(address);
    const missing = 'Set GEMINI_API_KEY to a key from aistudio.google.com/apikey and restart.';
    const apiKey = readKey(options.apiKey ?? fromEnvironment('GOOGLE_API_KEY', 'GEMINI_API_KEY'), missing);
    const { GoogleGenAI } = await import('@google/genai');
    // Set explicitly: otherwise, environment variables could send the conversation to a cloud project.
    const client = new GoogleGenAI({
      apiKey,
      vertexai: false,
      ...(baseUrl === undefined ? {} : { httpOptions: { baseUrl } }),
    });
    return { client, address: baseUrl, secrets: [apiKey] };
  });
  return {
    name,
    ...modelsOf(options.contextTokens, async (model, signal) => {
      const { client } = await connect();
      const config = { abortSignal: signal, httpOptions: { fetch: patientFetch(options.silenceMs) } };
      const window = tokensOf((await client.models.get({ model, config })).inputTokenLimit);
      return window === undefined ? undefined : { contextTokens: window };
    }),
    takesImages,
    checkSettings,
    async generate(request) {
      refuseSettings(request, checkSettings);
      const { client, address, secrets } = await connect();
      const callee = { name, model: request.model, address, secrets };
      const asking = { name, fetch: patientFetch(options.silenceMs) };
      return runCall(callee, request.signal, (signal) =>
        ask(client, withThinking(request, options.thinking), asking, signal),
      );
    },
  };
}

async function ask(
  client: GoogleGenAI,
  request: GenerateRequest,
  { name, fetch }: { name: string; fetch: typeof globalThis.fetch },
  signal: AbortSignal,
): Promise<LLMResponse> {
  const { config, ...rest } = toRequest(request);
  let headers: Headers | undefined;
  // The SDK's errors omit the headers with the retry delay, so read them here.
  const listeningFetch: typeof fetch = async (url, init) => {
    const response = await fetch(url, init);
    headers = response.headers;
    return response;
  };
  const params = { ...rest, config: { ...config, abortSignal: signal, httpOptions: { fetch: listeningFetch } } };
  try {
    if (!request.stream) return readResponse(await client.models.generateContent(params), name);
    return await readStream(await client.models.generateContentStream(params), request, name);
  } catch (error) {
    throw error instanceof Error && headers !== undefined ? Object.assign(error, { headers }) : error;
  }
}
