import { anthropic } from '../anthropic/anthropic.js';
import { pieces, STREAMING, WEATHER, type Reply, type Wire } from './wire.js';

const MODEL = 'claude-sonnet-4-5';
const HEAD = { id: 'msg_1', type: 'message', role: 'assistant', model: MODEL };
const THOUGHT = 'The user wants the weather.';

function usageOf({ usage = { input: 1, output: 1 } }: Reply) {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: usage.output,
  };
}

function reasonOf({ calls = [] }: Reply): string {
  return calls.length > 0 ? 'tool_use' : 'end_turn';
}

function whole(reply: Reply) {
  const { text = '', calls = [], sealed } = reply;
  const content = [
    ...(sealed === undefined ? [] : [{ type: 'thinking', thinking: THOUGHT, signature: sealed }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, arguments: args }) => ({
      type: 'tool_use',
      id,
      name,
      input: JSON.parse(args) as unknown,
    })),
  ];
  return { ...HEAD, content, stop_reason: reasonOf(reply), stop_sequence: null, usage: usageOf(reply) };
}

function frame(event: { type: string } & Record<string, unknown>): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function block(index: number, content_block: object, deltas: readonly object[]): string[] {
  return [
    frame({ type: 'content_block_start', index, content_block }),
    ...deltas.map((delta) => frame({ type: 'content_block_delta', index, delta })),
    frame({ type: 'content_block_stop', index }),
  ];
}

function frames(reply: Reply): string[] {
  const { text = '', calls = [], sealed } = reply;
  const thinking = [
    { type: 'thinking', thinking: '', signature: '' },
    [
      ...pieces(THOUGHT).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
      { type: 'signature_delta', signature: sealed },
    ],
  ] as const;
  const said = [
    { type: 'text', text: '' },
    pieces(text).map((piece) => ({ type: 'text_delta', text: piece })),
  ] as const;
  const asked = calls.map(({ id, name, arguments: args }) => {
    // The streamed text contains whitespace that the parsed object lacks.
    const spaced = args.startsWith('{"city":"Bern",') ? args.replace('{"city":"Bern",', '{ "city": "Bern", ') : args;
    const deltas = ['', ...pieces(spaced)].map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    return [{ type: 'tool_use', id, name, input: {} }, deltas] as const;
  });
  const blocks = [...(sealed === undefined ? [] : [thinking]), ...(text === '' ? [] : [said]), ...asked];
  const begin = {
    ...HEAD,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usageOf(reply), output_tokens: 1 },
  };
  return [
    frame({ type: 'message_start', message: begin }),
    ...blocks.flatMap(([start, deltas], index) => block(index, start, deltas)),
    frame({ type: 'ping' }),
    frame({
      type: 'message_delta',
      delta: { stop_reason: reasonOf(reply), stop_sequence: null },
      usage: { output_tokens: usageOf(reply).output_tokens },
    }),
    frame({ type: 'message_stop' }),
  ];
}

function error(status: number, type: string, message: string) {
  return { status, body: { type: 'error', error: { type, message } } };
}

export const anthropicWire: Wire = {
  vendor: 'Anthropic',
  model: MODEL,
  connect: (url, apiKey) => anthropic({ baseURL: url, apiKey }),
  textArguments: [STREAMING],
  path: () => '/v1/messages',
  whole,
  frames,
  empty: {
    whole: { ...HEAD, content: [], stop_reason: null, usage: usageOf({}) },
    frames: [
      frame({ type: 'message_start', message: { ...HEAD, content: [], stop_reason: null, usage: usageOf({}) } }),
      frame({ type: 'message_stop' }),
    ],
  },
  errors: {
    auth: error(401, 'authentication_error', 'invalid x-api-key KEY'),
    'rate-limited': error(429, 'rate_limit_error', 'This request would exceed your rate limit.'),
    overloaded: error(529, 'overloaded_error', 'Overloaded'),
    'context-too-long': error(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
    'unknown-model': error(404, 'not_found_error', `model: ${MODEL}`),
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
  sealedBack: (body, sealed) => {
    const { messages } = body as { messages: { role: string; content: unknown[] }[] };
    const first = messages.find(({ role }) => role === 'assistant')?.content[0];
    return JSON.stringify(first) === JSON.stringify({ type: 'thinking', thinking: THOUGHT, signature: sealed });
  },
};
