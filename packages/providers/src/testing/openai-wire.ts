import { openai } from '../openai/openai.js';
import { chatWire } from '../scripted-model/chat-wire.js';
import type { WireReply } from '../scripted-model/wire.js';
import { STREAMING, WEATHER, WHOLE, type Reply, type Wire } from './wire.js';

const MODEL = 'gpt-4o-mini';
const HEAD = { id: '1', created: 1_730_000_000, model: MODEL, body: { stream_options: { include_usage: true } } };
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

const { whole, frames, error } = chatWire;

/** In the format of compatible servers: reasoning is text. */
function toReply({ sealed, usage = { input: 1, output: 1 }, ...reply }: Reply): WireReply {
  return { ...reply, usage, ...(sealed === undefined ? {} : { thinking: sealed }) };
}

function failure(status: number, message: string, code?: string) {
  return { status, body: error({ status, message, ...(code === undefined ? {} : { code }) }) };
}

export const openaiWire: Wire = {
  vendor: 'OpenAI',
  model: MODEL,
  connect: (url, apiKey) => openai({ baseURL: `${url}/v1`, apiKey }),
  textArguments: [STREAMING, WHOLE],
  path: () => '/v1/chat/completions',
  whole: (reply) => whole(toReply(reply), HEAD),
  frames: (reply) => frames(toReply(reply), HEAD),
  empty: {
    whole: { id: 'chatcmpl-1', object: 'chat.completion', choices: [] },
    frames: [`data: ${JSON.stringify({ id: 'chatcmpl-1', choices: [], usage: USAGE })}\n\n`, 'data: [DONE]\n\n'],
  },
  errors: {
    auth: failure(401, 'Incorrect API key provided: KEY.', 'invalid_api_key'),
    'rate-limited': failure(429, 'Rate limit reached for requests', 'rate_limit_exceeded'),
    overloaded: failure(503, 'The engine is currently overloaded, please try again later'),
    'context-too-long': failure(
      400,
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.",
      'context_length_exceeded',
    ),
    'unknown-model': failure(
      404,
      `The model \`${MODEL}\` does not exist or you do not have access to it.`,
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
  withImage: [
    { role: 'tool', tool_call_id: 'theirs_1', content: 'sun' },
    { role: 'tool', tool_call_id: 'theirs_2', content: 'rain' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'The images of the tool results above, in order:' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,aW1hZ2U=' } },
      ],
    },
  ],
  sealedBack: (body, sealed) => {
    const { messages } = body as { messages: { role: string; reasoning_content?: string }[] };
    return messages.find(({ role }) => role === 'assistant')?.reasoning_content === sealed;
  },
};
