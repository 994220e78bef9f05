import { openai } from '../openai/openai.js';
import { pieces, STREAMING, WEATHER, WHOLE, type Reply, type Wire } from './wire.js';

const MODEL = 'gpt-4o-mini';
const HEAD = { id: 'chatcmpl-1', created: 1_730_000_000, model: MODEL };

function usageOf({ usage = { input: 1, output: 1 } }: Reply) {
  const { input, output } = usage;
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

function reasonOf({ calls = [] }: Reply): string {
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

function whole(reply: Reply) {
  const { text, calls = [], sealed } = reply;
  const tool_calls = calls.map(({ id, ...asked }) => ({ id, type: 'function', function: asked }));
  const message = {
    role: 'assistant',
    content: text ?? null,
    refusal: null,
    ...(sealed === undefined ? {} : { reasoning_content: sealed }),
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
  };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: reasonOf(reply) }];
  return { ...HEAD, object: 'chat.completion', choices, usage: usageOf(reply) };
}

function frame(chunk: object): string {
  return `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', ...chunk })}\n\n`;
}

function delta(change: object, finish_reason: string | null = null): string {
  return frame({ choices: [{ index: 0, delta: change, logprobs: null, finish_reason }], usage: null });
}

function frames(reply: Reply): string[] {
  const { text = '', calls = [], sealed } = reply;
  return [
    delta({ role: 'assistant', content: text === '' && calls.length > 0 ? null : '', refusal: null }),
    ...pieces(text).map((content) => delta({ content })),
    ...(sealed === undefined ? [] : pieces(sealed).map((reasoning_content) => delta({ reasoning_content }))),
    ...calls.flatMap(({ id, name, arguments: args }, index) => [
      delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...pieces(args).map((piece) => delta({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    delta({}, reasonOf(reply)),
    frame({ choices: [], usage: usageOf(reply) }),
    'data: [DONE]\n\n',
  ];
}

function error(status: number, message: string, type: string, code: string | null) {
  return { status, body: { error: { message, type, param: null, code } } };
}

export const openaiWire: Wire = {
  vendor: 'OpenAI',
  model: MODEL,
  connect: (url, apiKey) => openai({ baseURL: `${url}/v1`, apiKey }),
  textArguments: [STREAMING, WHOLE],
  path: () => '/v1/chat/completions',
  whole,
  frames,
  empty: {
    whole: { ...HEAD, object: 'chat.completion', choices: [] },
    frames: [frame({ choices: [], usage: usageOf({}) }), 'data: [DONE]\n\n'],
  },
  errors: {
    auth: error(401, 'Incorrect API key provided: KEY.', 'invalid_request_error', 'invalid_api_key'),
    'rate-limited': error(429, 'Rate limit reached for requests', 'requests', 'rate_limit_exceeded'),
    overloaded: error(503, 'The engine is currently overloaded, please try again later', 'server_error', null),
    'context-too-long': error(
      400,
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.",
      'invalid_request_error',
      'context_length_exceeded',
    ),
    'unknown-model': error(
      404,
      `The model \`${MODEL}\` does not exist or you do not have access to it.`,
      'invalid_request_error',
      'model_not_found',
    ),
  },
  midStreamError: `data: ${JSON.stringify({ error: { message: 'The server had an error', type: 'server_error', code: null } })}\n\n`,
  midStreamKind: 'overloaded',
  conversation: {
    model: MODEL,
    temperature: 0.5,
    max_completion_tokens: 100,
    messages: [
      { role: 'system', content: 'You are Ada.' },
      { role: 'user', content: 'What is the weather in Paris and Bern?' },
      { role: 'user', content: 'Bob: and hurry' },
      {
        role: 'assistant',
        content: 'I will look.',
        tool_calls: [
          { id: 'theirs_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } },
          { id: 'theirs_2', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'theirs_1', content: 'sun' },
      { role: 'tool', tool_call_id: 'theirs_2', content: 'rain' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'call_ours3',
            type: 'function',
            function: { name: 'weather', arguments: '{"unparsable":"{\\"city\\": broken"}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_ours3', content: 'not valid JSON' },
    ],
    tools: [{ type: 'function', function: WEATHER }],
  },
  sealedBack: (body, sealed) => {
    const { messages } = body as { messages: { role: string; reasoning_content?: string }[] };
    return messages.find(({ role }) => role === 'assistant')?.reasoning_content === sealed;
  },
};
