import { parseRequest } from '@countersign/protocol';
import { z } from 'zod';
import { isRecord } from '../shared/records.js';
import { contentSchema, textOf, userText } from './content.js';
import { openaiError } from './openai-error.js';
import { pieces, words, type RequestMessage, type Wire, type WireHead, type WireReply } from './wire.js';

const callSchema = z.looseObject({
  function: z.looseObject({ name: z.string(), arguments: z.string() }).exactOptional(),
});
const messageSchema = z.looseObject({
  role: z.string(),
  content: contentSchema.exactOptional(),
  tool_calls: z.array(callSchema).nullish().exactOptional(),
});
type Message = z.infer<typeof messageSchema>;
const requestSchema = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish().exactOptional(),
  messages: z.array(messageSchema),
  tools: z
    .array(z.looseObject({ function: z.looseObject({ name: z.string() }).exactOptional() }))
    .nullish()
    .exactOptional(),
});

/** OpenAI chat completions, which every compatible server supports. */
export const chatWire: Wire = {
  name: 'openai-chat',
  callPrefix: 'call_',
  read,
  whole,
  frames,
  error: openaiError,
};

function read(body: unknown): ReturnType<Wire['read']> {
  const { model, stream, messages, tools } = parseRequest(requestSchema, body, 'body');
  const instructions = messages.filter(({ role }) => role === 'system' || role === 'developer');
  return {
    model,
    stream: stream ?? false,
    system: instructions.map(({ content }) => textOf(content)).join('\n'),
    messages: messages.flatMap((message, index) =>
      isImagesOf(messages[index - 1], message) ? [] : toMessages(message),
    ),
    tools: (tools ?? []).flatMap((tool) => tool.function?.name ?? []),
  };
}

/** A tool result can only be text here, so its images follow in a user message that no person wrote. */
function isImagesOf(before: Message | undefined, { role, content }: Message): boolean {
  if (before?.role !== 'tool' || role !== 'user' || !Array.isArray(content)) return false;
  return content.some(({ type }) => type === 'image_url');
}

function toMessages({ role, content, tool_calls }: Message): RequestMessage[] {
  switch (role) {
    case 'user':
      return [{ role, text: userText(content) }];
    case 'assistant':
      return [{ role, text: textOf(content), calls: (tool_calls ?? []).flatMap((call) => call.function ?? []) }];
    case 'tool':
      return [{ role, text: textOf(content) }];
    default:
      return [];
  }
}

function headOf({ id, created, model }: WireHead) {
  return { id: `chatcmpl-${id}`, created, model };
}

function usageOf({ usage: { input, output } }: WireReply) {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

function finishReason({ calls = [] }: WireReply): string {
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

function whole(reply: WireReply, head: WireHead): unknown {
  const { text, thinking, calls = [] } = reply;
  const tool_calls = calls.map(({ id, ...called }) => ({ id, type: 'function', function: called }));
  const message = {
    role: 'assistant',
    content: text ?? null,
    refusal: null,
    ...(thinking === undefined ? {} : { reasoning_content: thinking }),
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
  };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finishReason(reply) }];
  return { ...headOf(head), object: 'chat.completion', choices, usage: usageOf(reply) };
}

function frames(reply: WireReply, head: WireHead): string[] {
  const { text = '', thinking = '', calls = [] } = reply;
  // Send usage only if it was requested: other clients expect `choices[0]` in every chunk.
  const withUsage = asksForUsage(head.body);
  const frame = (chunk: object): string =>
    `data: ${JSON.stringify({ ...headOf(head), object: 'chat.completion.chunk', ...chunk })}\n\n`;
  const delta = (change: object, finish_reason: string | null = null): string =>
    frame({
      choices: [{ index: 0, delta: change, logprobs: null, finish_reason }],
      ...(withUsage ? { usage: null } : {}),
    });
  return [
    delta({ role: 'assistant', content: text === '' && calls.length > 0 ? null : '', refusal: null }),
    ...words(thinking).map((reasoning_content) => delta({ reasoning_content })),
    ...words(text).map((content) => delta({ content })),
    ...calls.flatMap(({ id, name, arguments: args }, index) => [
      delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...pieces(args).map((piece) => delta({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    delta({}, finishReason(reply)),
    ...(withUsage ? [frame({ choices: [], usage: usageOf(reply) })] : []),
    'data: [DONE]\n\n',
  ];
}

function asksForUsage(body: unknown): boolean {
  const options = isRecord(body) ? body['stream_options'] : undefined;
  return isRecord(options) && options['include_usage'] === true;
}
