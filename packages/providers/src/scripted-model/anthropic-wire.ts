import { parseRequest } from '@countersign/protocol';
import { z } from 'zod';
import { contentSchema, textOf, userText } from './content.js';
import {
  argumentsValue,
  pieces,
  words,
  type RequestMessage,
  type Wire,
  type WireError,
  type WireHead,
  type WireReply,
} from './wire.js';

const blockSchema = z.looseObject({
  type: z.string(),
  text: z.string().exactOptional(),
  name: z.string().exactOptional(),
  input: z.unknown().exactOptional(),
  content: contentSchema.exactOptional(),
});
const requestSchema = z.looseObject({
  model: z.string(),
  stream: z.boolean().exactOptional(),
  system: contentSchema.exactOptional(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(blockSchema)]) })),
  tools: z.array(z.looseObject({ name: z.string().exactOptional() })).exactOptional(),
});
type Message = z.infer<typeof requestSchema>['messages'][number];

const CODES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

export const anthropicWire: Wire = { name: 'anthropic', callPrefix: 'toolu_', read, whole, frames, error };

function read(body: unknown): ReturnType<Wire['read']> {
  const { model, stream = false, system, messages, tools = [] } = parseRequest(requestSchema, body, 'body');
  return {
    model,
    stream,
    system: [textOf(system), ...messages.filter(({ role }) => role === 'system').map(systemText)].join('\n').trim(),
    messages: messages.flatMap(toMessages),
    tools: tools.flatMap(({ name }) => name ?? []),
  };
}

function systemText({ content }: Message): string {
  return textOf(content);
}

/** A user message contains tool results, text, or both. */
function toMessages({ role, content }: Message): RequestMessage[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const texts = blocks.filter(({ type }) => type === 'text');
  if (role === 'assistant') {
    const calls = blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ name = '', input }) => ({ name, arguments: JSON.stringify(input ?? {}) }));
    return [{ role, text: textOf(texts), calls }];
  }
  if (role !== 'user') return [];
  const results = blocks
    .filter(({ type }) => type === 'tool_result')
    .map((block): RequestMessage => ({ role: 'tool', text: textOf('content' in block ? block.content : undefined) }));
  const text = userText(texts);
  return text === '' && results.length > 0 ? results : [...results, { role: 'user', text }];
}

function headOf({ id, model }: WireHead) {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model };
}

function usageOf({ usage }: WireReply) {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: usage.output,
  };
}

function stopReason({ calls = [] }: WireReply): string {
  return calls.length > 0 ? 'tool_use' : 'end_turn';
}

function whole(reply: WireReply, head: WireHead): unknown {
  const { text = '', thinking, signature = '', calls = [] } = reply;
  const content = [
    ...(thinking === undefined ? [] : [{ type: 'thinking', thinking, signature }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, arguments: args }) => ({ type: 'tool_use', id, name, input: argumentsValue(args) })),
  ];
  return { ...headOf(head), content, stop_reason: stopReason(reply), stop_sequence: null, usage: usageOf(reply) };
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

function frames(reply: WireReply, head: WireHead): string[] {
  const { text = '', thinking, signature = '', calls = [] } = reply;
  const thought = [
    { type: 'thinking', thinking: '', signature: '' },
    [
      ...words(thinking ?? '').map((piece) => ({ type: 'thinking_delta', thinking: piece })),
      { type: 'signature_delta', signature },
    ],
  ] as const;
  const said = [{ type: 'text', text: '' }, words(text).map((piece) => ({ type: 'text_delta', text: piece }))] as const;
  const called = calls.map(({ id, name, arguments: args }) => {
    const deltas = ['', ...pieces(args)].map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    return [{ type: 'tool_use', id, name, input: {} }, deltas] as const;
  });
  const blocks = [...(thinking === undefined ? [] : [thought]), ...(text === '' ? [] : [said]), ...called];
  const usage = usageOf(reply);
  const start = { ...headOf(head), content: [], stop_reason: null, stop_sequence: null };
  return [
    frame({ type: 'message_start', message: { ...start, usage: { ...usage, output_tokens: 1 } } }),
    ...blocks.flatMap(([begin, deltas], index) => block(index, begin, deltas)),
    frame({ type: 'ping' }),
    frame({
      type: 'message_delta',
      delta: { stop_reason: stopReason(reply), stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    }),
    frame({ type: 'message_stop' }),
  ];
}

function error({ status, code, message }: WireError): unknown {
  const usual = CODES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return { type: 'error', error: { type: code ?? usual, message } };
}
