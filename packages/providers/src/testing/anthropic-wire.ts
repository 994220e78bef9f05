import { anthropic } from '../anthropic/anthropic.js';
import { anthropicWire as anthropicWriter } from '../scripted-model/anthropic-wire.js';
import type { WireReply } from '../scripted-model/wire.js';
import { STREAMING, WEATHER, type Reply, type Wire } from './wire.js';

const MODEL = 'claude-sonnet-4-5';
const HEAD = { id: '1', model: MODEL, created: 1_730_000_000, body: {} };
const EMPTY = { id: 'msg_1', type: 'message', role: 'assistant', model: MODEL, content: [], stop_reason: null };
const USAGE = { input_tokens: 1, output_tokens: 1 };
const THOUGHT = 'The user wants the weather.';

const { whole, frames, error } = anthropicWriter;

/** In Anthropic's format: thinking has a text and a signature. */
function toReply({ sealed, usage = { input: 1, output: 1 }, ...reply }: Reply): WireReply {
  return { ...reply, usage, ...(sealed === undefined ? {} : { thinking: THOUGHT, signature: sealed }) };
}

/** The streamed text contains whitespace that the parsed object lacks. */
function withSpaces(reply: WireReply): WireReply {
  const calls = (reply.calls ?? []).map((call) => ({
    ...call,
    arguments: call.arguments.replace(/^\{"city":"Bern",/, '{ "city": "Bern", '),
  }));
  return { ...reply, calls };
}

function frame(event: { type: string } & Record<string, unknown>): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function failure(status: number, code: string, message: string) {
  return { status, body: error({ status, code, message }) };
}

export const anthropicWire: Wire = {
  vendor: 'Anthropic',
  model: MODEL,
  connect: (url, apiKey) => anthropic({ baseURL: url, apiKey }),
  textArguments: [STREAMING],
  path: () => '/v1/messages',
  whole: (reply) => whole(toReply(reply), HEAD),
  frames: (reply) => frames(withSpaces(toReply(reply)), HEAD),
  empty: {
    whole: { ...EMPTY, usage: USAGE },
    frames: [frame({ type: 'message_start', message: { ...EMPTY, usage: USAGE } }), frame({ type: 'message_stop' })],
  },
  errors: {
    auth: failure(401, 'authentication_error', 'invalid x-api-key KEY'),
    'rate-limited': failure(429, 'rate_limit_error', 'This request would exceed your rate limit.'),
    overloaded: failure(529, 'overloaded_error', 'Overloaded'),
    'context-too-long': failure(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
    'unknown-model': failure(404, 'not_found_error', `model: ${MODEL}`),
  },
  midStreamError: frame({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  midStreamKind: 'overloaded',
  conversation: {
    model: MODEL,
    temperature: 0.5,
    max_tokens: 100,
    system: 'You are Ada.',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is the weather in Paris and Bern?' },
          { type: 'text', text: 'Bob: and hurry' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I will look.' },
          { type: 'tool_use', id: 'theirs_1', name: 'weather', input: { city: 'Paris' } },
          { type: 'tool_use', id: 'theirs_2', name: 'weather', input: { city: 'Bern' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'theirs_1', content: 'sun' },
          { type: 'tool_result', tool_use_id: 'theirs_2', content: 'rain' },
        ],
      },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'call_ours3', name: 'weather', input: { unparsable: '{"city": broken' } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_ours3', content: 'not valid JSON' }] },
    ],
    tools: [{ name: 'weather', description: WEATHER.description, input_schema: WEATHER.parameters }],
  },
  withImage: [
    {
      type: 'tool_result',
      tool_use_id: 'theirs_1',
      content: [
        { type: 'text', text: 'sun' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aW1hZ2U=' } },
      ],
    },
  ],
  sealedBack: (body, sealed) => {
    const { messages } = body as { messages: { role: string; content: unknown[] }[] };
    const first = messages.find(({ role }) => role === 'assistant')?.content[0];
    return JSON.stringify(first) === JSON.stringify({ type: 'thinking', thinking: THOUGHT, signature: sealed });
  },
};
