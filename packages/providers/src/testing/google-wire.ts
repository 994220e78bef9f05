import { google } from '../google/google.js';
import { pieces, WEATHER, type Reply, type Wire } from './wire.js';

const MODEL = 'gemini-2.5-flash';

function usageOf({ usage = { input: 1, output: 1 } }: Reply) {
  const { input, output } = usage;
  return { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output };
}

function callParts({ calls = [], sealed }: Reply) {
  return calls.map(({ id, name, arguments: args }, index) => ({
    functionCall: { ...(id === '' ? {} : { id }), name, args: JSON.parse(args) as unknown },
    ...(index === 0 && sealed !== undefined ? { thoughtSignature: sealed } : {}),
  }));
}

function response(parts: readonly object[], reply: Reply, finishReason?: string) {
  const candidate = {
    content: { parts, role: 'model' },
    index: 0,
    ...(finishReason === undefined ? {} : { finishReason }),
  };
  return { candidates: [candidate], usageMetadata: usageOf(reply), modelVersion: MODEL, responseId: 'r1' };
}

function whole(reply: Reply) {
  const { text = '' } = reply;
  return response([...(text === '' ? [] : [{ text }]), ...callParts(reply)], reply, 'STOP');
}

function frame(body: unknown): string {
  return `data: ${JSON.stringify(body)}\r\n\r\n`;
}

function frames(reply: Reply): string[] {
  return [
    ...pieces(reply.text ?? '', 4).map((text) => frame(response([{ text }], reply))),
    ...callParts(reply).map((part) => frame(response([part], reply))),
    frame(response([{ text: '' }], reply, 'STOP')),
  ];
}

function error(code: number, status: string, message: string, details: readonly object[] = []) {
  return { status: code, body: { error: { code, message, status, details } } };
}

export const googleWire: Wire = {
  vendor: 'Google',
  model: MODEL,
  connect: (url, apiKey) => google({ baseURL: url, apiKey }),
  textArguments: [],
  path: (stream) => `/v1beta/models/${MODEL}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  whole,
  frames,
  empty: { whole: { usageMetadata: usageOf({}) }, frames: [frame({ candidates: [], usageMetadata: usageOf({}) })] },
  errors: {
    auth: error(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key. KEY', [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
    ]),
    'rate-limited': error(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota.'),
    overloaded: error(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
    'context-too-long': error(
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ),
    'unknown-model': error(404, 'NOT_FOUND', `models/${MODEL} is not found for API version v1beta.`),
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
  sealedBack: (body, sealed) => {
    const { contents } = body as { contents: { role: string; parts: { thoughtSignature?: string }[] }[] };
    const parts = contents.find(({ role }) => role === 'model')?.parts ?? [];
    return (
      JSON.stringify(parts.map(({ thoughtSignature }) => thoughtSignature)) === JSON.stringify([null, sealed, null])
    );
  },
};
