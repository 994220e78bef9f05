import { CountersignError, parseRequest } from '@countersign/protocol';
import { z } from 'zod';
import { isRecord } from '../shared/records.js';
import { contentSchema, textOf, userText } from './content.js';
import { openaiError } from './openai-error.js';
import { pieces, words, type RequestMessage, type Wire, type WireCall, type WireHead, type WireReply } from './wire.js';

const itemSchema = z.looseObject({
  type: z.string().exactOptional(),
  role: z.string().exactOptional(),
  content: contentSchema.exactOptional(),
  name: z.string().exactOptional(),
  arguments: z.string().exactOptional(),
  input: z.unknown().exactOptional(),
  output: z.unknown().exactOptional(),
});
const toolSchema = z.looseObject({ type: z.string(), name: z.string().exactOptional() });
const requestSchema = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish().exactOptional(),
  instructions: z.string().nullish().exactOptional(),
  previous_response_id: z.string().nullish().exactOptional(),
  input: z.union([z.string(), z.array(itemSchema)]),
  tools: z
    .array(z.looseObject({ ...toolSchema.shape, tools: z.array(toolSchema).exactOptional() }))
    .nullish()
    .exactOptional(),
});
type Item = z.infer<typeof itemSchema>;

/** The OpenAI responses API. */
export const responsesWire: Wire = {
  name: 'openai-responses',
  callPrefix: 'call_',
  read,
  whole,
  frames,
  error: openaiError,
};

function read(body: unknown): ReturnType<Wire['read']> {
  const request = parseRequest(requestSchema, body, 'body');
  if (typeof request.previous_response_id === 'string') {
    const text = 'previous_response_id: the scripted model stores nothing; send the whole conversation in input';
    throw new CountersignError('invalid', text, { field: 'previous_response_id' });
  }
  const items = typeof request.input === 'string' ? [{ role: 'user', content: request.input }] : request.input;
  const instructions = items.filter(({ role }) => role === 'system' || role === 'developer');
  return {
    model: request.model,
    stream: request.stream ?? false,
    system: [request.instructions ?? '', ...instructions.map(({ content }) => textOf(content))].join('\n').trim(),
    messages: items.flatMap(toMessages),
    tools: (request.tools ?? [])
      .flatMap(({ name, tools = [] }) => [name, ...tools.map((tool) => tool.name)])
      .flatMap((name) => name ?? []),
  };
}

function toMessages(item: Item): RequestMessage[] {
  if (item.type?.endsWith('_call_output') === true) return [{ role: 'tool', text: outputText(item.output) }];
  if (item.type?.endsWith('_call') === true) {
    const args = item.arguments ?? (typeof item.input === 'string' ? item.input : '{}');
    return [{ role: 'assistant', text: '', calls: [{ name: item.name ?? '', arguments: args }] }];
  }
  if (item.role === 'user') return [{ role: 'user', text: userText(item.content) }];
  if (item.role === 'assistant') return [{ role: 'assistant', text: textOf(item.content), calls: [] }];
  return [];
}

function outputText(output: unknown): string {
  const content = contentSchema.safeParse(output);
  return content.success ? textOf(content.data) : JSON.stringify(output);
}

function usageOf({ usage: { input, output } }: WireReply) {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

function responseOf({ id, created, model }: WireHead) {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: created,
    model,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    max_output_tokens: null,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    text: { format: { type: 'text' } },
    truncation: 'disabled',
  };
}

interface WireEvent {
  type: string;
  [field: string]: unknown;
}

/** An output item: its initial form, the events that fill it, and the complete item. */
interface Output {
  start: object;
  events: readonly WireEvent[];
  whole: { id: string; [field: string]: unknown };
}

function outputsOf({ text = '', thinking, signature, calls = [] }: WireReply, head: WireHead): Output[] {
  return [
    ...(thinking === undefined ? [] : [reasoningOutput(thinking, signature, `rs_${head.id}`)]),
    ...(text === '' && calls.length > 0 ? [] : [messageOutput(text, `msg_${head.id}`)]),
    ...calls.map((call, index) => callOutput(call, `fc_${head.id}${index}`, head.body)),
  ];
}

function reasoningOutput(thinking: string, signature: string | undefined, id: string): Output {
  const item = { id, type: 'reasoning' };
  const part = { type: 'summary_text', text: thinking };
  const at = { summary_index: 0 };
  return {
    start: { ...item, summary: [] },
    events: [
      { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
      ...words(thinking).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
      { type: 'response.reasoning_summary_text.done', ...at, text: thinking },
      { type: 'response.reasoning_summary_part.done', ...at, part },
    ],
    whole: { ...item, summary: [part], ...(signature === undefined ? {} : { encrypted_content: signature }) },
  };
}

function messageOutput(text: string, id: string): Output {
  const item = { id, type: 'message', role: 'assistant' };
  const part = { type: 'output_text', text, annotations: [], logprobs: [] };
  const at = { content_index: 0 };
  return {
    start: { ...item, status: 'in_progress', content: [] },
    events: [
      { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
      ...words(text).map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
      { type: 'response.output_text.done', ...at, text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part },
    ],
    whole: { ...item, status: 'completed', content: [part] },
  };
}

function callOutput({ id: call_id, name, arguments: args }: WireCall, id: string, body: unknown): Output {
  const { type, namespace } = findTool(body, name);
  const called = { id, call_id, name, ...(namespace === undefined ? {} : { namespace }) };
  if (type === 'custom') {
    const item = { ...called, type: 'custom_tool_call' };
    return {
      start: { ...item, input: '' },
      events: [
        ...pieces(args).map((delta) => ({ type: 'response.custom_tool_call_input.delta', delta })),
        { type: 'response.custom_tool_call_input.done', input: args },
      ],
      whole: { ...item, input: args },
    };
  }
  const item = { ...called, type: 'function_call' };
  return {
    start: { ...item, status: 'in_progress', arguments: '' },
    events: [
      ...pieces(args).map((delta) => ({ type: 'response.function_call_arguments.delta', delta })),
      { type: 'response.function_call_arguments.done', name, arguments: args },
    ],
    whole: { ...item, status: 'completed', arguments: args },
  };
}

/** Finds the called tool: calls to custom tools take text, and calls to tools in a namespace include the namespace. */
function findTool(body: unknown, name: string): { type: string; namespace?: string } {
  const tools = isRecord(body) ? requestSchema.shape.tools.safeParse(body['tools']).data : undefined;
  for (const tool of tools ?? []) {
    if (tool.type === 'namespace' && tool.name !== undefined) {
      const inner = tool.tools?.find((candidate) => candidate.name === name);
      if (inner !== undefined) return { type: inner.type, namespace: tool.name };
    } else if (tool.name === name) return { type: tool.type };
  }
  return { type: 'function' };
}

function whole(reply: WireReply, head: WireHead) {
  const output = outputsOf(reply, head).map((item) => item.whole);
  return { ...responseOf(head), status: 'completed', output, usage: usageOf(reply) };
}

function frames(reply: WireReply, head: WireHead): string[] {
  const started = { ...responseOf(head), status: 'in_progress', output: [], usage: null };
  const events: WireEvent[] = [
    { type: 'response.created', response: started },
    { type: 'response.in_progress', response: started },
    ...outputsOf(reply, head).flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: item.start },
      ...item.events.map((event) => ({ ...event, item_id: item.whole.id, output_index })),
      { type: 'response.output_item.done', output_index, item: item.whole },
    ]),
    { type: 'response.completed', response: whole(reply, head) },
  ];
  return events.map((event, sequence_number) => frame({ ...event, sequence_number }));
}

function frame(event: WireEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
