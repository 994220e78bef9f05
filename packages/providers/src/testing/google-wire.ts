import { google } from '../google/google.js';
import { googleWire as googleWriter } from '../scripted-model/google-wire.js';
import type { WireReply } from '../scripted-model/wire.js';
import { WEATHER, type Reply, type Wire } from './wire.js';

const MODEL = 'gemini-2.5-flash';

const HEAD = { id: 'r1', model: MODEL, created: 1_730_000_000, body: {} };
const USAGE = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
const { whole, frames, error } = googleWriter;

/** In Google's format: the first call has a signature. */
function toReply({ sealed, usage = { input: 1, output: 1 }, ...reply }: Reply): WireReply {
  return { ...reply, usage, ...(sealed === undefined ? {} : { signature: sealed }) };
}

function frame(body: unknown): string {
  return `data: ${JSON.stringify(body)}\r\n\r\n`;
}

function failure(status: number, code: string, message: string) {
  return { status, body: error({ status, code, message }) };
}

export const googleWire: Wire = {
  vendor: 'Google',
  model: MODEL,
  connect: (url, apiKey) => google({ baseURL: url, apiKey }),
  textArguments: [],
  path: (stream) => `/v1beta/models/${MODEL}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  whole: (reply) => whole(toReply(reply), HEAD),
  frames: (reply) => frames(toReply(reply), HEAD),
  empty: { whole: { usageMetadata: USAGE }, frames: [frame({ candidates: [], usageMetadata: USAGE })] },
  errors: {
    auth: failure(400, 'API_KEY_INVALID', 'API key not valid. Please pass a valid API key. KEY'),
    'rate-limited': failure(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.'),
    overloaded: failure(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
    'context-too-long': failure(
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ),
    'unknown-model': failure(404, 'NOT_FOUND', `models/${MODEL} is not found for API version v1beta.`),
  },
  midStreamError: frame({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }),
  midStreamKind: 'overloaded',
  conversation: {
    systemInstruction: { parts: [{ text: 'You are Ada.' }], role: 'user' },
    generationConfig: { temperature: 0.5, maxOutputTokens: 100 },
    contents: [
      { role: 'user', parts: [{ text: 'What is the weather in Paris and Bern?' }, { text: 'Bob: and hurry' }] },
      {
        role: 'model',
        parts: [
          { text: 'I will look.' },
          { functionCall: { id: 'theirs_1', name: 'weather', args: { city: 'Paris' } } },
          { functionCall: { id: 'theirs_2', name: 'weather', args: { city: 'Bern' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'theirs_1', name: 'weather', response: { output: 'sun' } } },
          { functionResponse: { id: 'theirs_2', name: 'weather', response: { output: 'rain' } } },
        ],
      },
      {
        role: 'model',
        parts: [{ functionCall: { id: 'call_ours3', name: 'weather', args: { unparsable: '{"city": broken' } } }],
      },
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'call_ours3', name: 'weather', response: { output: 'not valid JSON' } } }],
      },
    ],
    tools: [
      {
        functionDeclarations: [
          { name: 'weather', description: WEATHER.description, parametersJsonSchema: WEATHER.parameters },
        ],
      },
    ],
  },
  withImage: [
    { functionResponse: { id: 'theirs_1', name: 'weather', response: { output: 'sun' } } },
    { functionResponse: { id: 'theirs_2', name: 'weather', response: { output: 'rain' } } },
    { inlineData: { mimeType: 'image/png', data: 'aW1hZ2U=' } },
  ],
  sealedBack: (body, sealed) => {
    const { contents } = body as { contents: { role: string; parts: { thoughtSignature?: string }[] }[] };
    const parts = contents.find(({ role }) => role === 'model')?.parts ?? [];
    return (
      JSON.stringify(parts.map(({ thoughtSignature }) => thoughtSignature)) === JSON.stringify([null, sealed, null])
    );
  },
};
