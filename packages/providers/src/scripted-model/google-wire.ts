import { parseRequest } from '@countersign/protocol';
import { z } from 'zod';
import { userText } from './content.js';
import {
  argumentsValue,
  words,
  type RequestMessage,
  type Wire,
  type WireError,
  type WireHead,
  type WireReply,
} from './wire.js';

const partSchema = z.looseObject({
  text: z.string().exactOptional(),
  thought: z.boolean().exactOptional(),
  functionCall: z.looseObject({ name: z.string(), args: z.unknown().exactOptional() }).exactOptional(),
  functionResponse: z.looseObject({ response: z.record(z.string(), z.unknown()).exactOptional() }).exactOptional(),
});
const contentSchema = z.looseObject({
  role: z.string().exactOptional(),
  parts: z.array(partSchema).default([]),
});
const requestSchema = z.looseObject({
  contents: z.array(contentSchema),
  systemInstruction: contentSchema.exactOptional(),
  tools: z
    .array(z.looseObject({ functionDeclarations: z.array(z.looseObject({ name: z.string() })).exactOptional() }))
    .exactOptional(),
});
type Part = z.infer<typeof partSchema>;

const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};
const CANONICAL = [...Object.values(STATUSES), 'FAILED_PRECONDITION', 'OUT_OF_RANGE', 'ALREADY_EXISTS', 'CANCELLED'];

/** Gemini: generateContent and streamGenerateContent. */
export const googleWire: Wire = { name: 'google', callPrefix: 'call_', read, whole, frames, error };

function read(body: unknown, inPath: { model: string; stream: boolean }): ReturnType<Wire['read']> {
  const { contents, systemInstruction, tools = [] } = parseRequest(requestSchema, body, 'body');
  return {
    ...inPath,
    system: userText(systemInstruction?.parts),
    messages: contents.flatMap(toMessages),
    tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
  };
}

function toMessages({ role, parts }: z.infer<typeof contentSchema>): RequestMessage[] {
  const text = userText(parts.filter(({ thought }) => thought !== true));
  if (role === 'model') {
    const calls = parts.flatMap(({ functionCall: call }) =>
      call === undefined ? [] : [{ name: call.name, arguments: JSON.stringify(call.args ?? {}) }],
    );
    return [{ role: 'assistant', text, calls }];
  }
  const results = parts.flatMap(toResult);
  return text === '' && results.length > 0 ? results : [...results, { role: 'user', text }];
}

/** Results are objects; by convention, a result that is only text is in `output` or `error`. */
function toResult({ functionResponse }: Part): RequestMessage[] {
  if (functionResponse === undefined) return [];
  const { response = {} } = functionResponse;
  const text = response['output'] ?? response['error'];
  return [{ role: 'tool', text: typeof text === 'string' ? text : JSON.stringify(response) }];
}

function usageOf({ usage: { input, output } }: WireReply) {
  return { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output };
}

function callParts({ calls = [], signature }: WireReply) {
  return calls.map(({ id, name, arguments: args }, index) => ({
    functionCall: { ...(id === '' ? {} : { id }), name, args: argumentsValue(args) },
    ...(index === 0 && signature !== undefined ? { thoughtSignature: signature } : {}),
  }));
}

interface Chunk {
  reply: WireReply;
  head: WireHead;
  parts: readonly object[];
  finishReason?: string;
}

function response({ reply, head, parts, finishReason }: Chunk) {
  const candidate = {
    content: { parts, role: 'model' },
    index: 0,
    ...(finishReason === undefined ? {} : { finishReason }),
  };
  return {
    candidates: [candidate],
    usageMetadata: usageOf(reply),
    modelVersion: head.model,
    responseId: head.id,
  };
}

function whole(reply: WireReply, head: WireHead): unknown {
  const { text = '', thinking = '' } = reply;
  const parts = [
    ...(thinking === '' ? [] : [{ text: thinking, thought: true }]),
    ...(text === '' ? [] : [{ text }]),
    ...callParts(reply),
  ];
  return response({ reply, head, parts, finishReason: 'STOP' });
}

function frames(reply: WireReply, head: WireHead): string[] {
  const { text = '', thinking = '' } = reply;
  const parts = [
    ...words(thinking).map((piece) => ({ text: piece, thought: true })),
    ...words(text).map((piece) => ({ text: piece })),
    ...callParts(reply),
  ];
  return [
    ...parts.map((part) => frame(response({ reply, head, parts: [part] }))),
    frame(response({ reply, head, parts: [{ text: '' }], finishReason: 'STOP' })),
  ];
}

function frame(body: unknown): string {
  return `data: ${JSON.stringify(body)}\r\n\r\n`;
}

/** If the code is not a status, such as `API_KEY_INVALID`, it becomes the reason in the details. */
function error({ status, code, message, retryAfter }: WireError): unknown {
  const usual = STATUSES[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
  const isStatus = code !== undefined && CANONICAL.includes(code);
  const details = [
    ...(code === undefined || isStatus ? [] : [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code }]),
    ...(retryAfter === undefined
      ? []
      : [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfter}s` }]),
  ];
  return { error: { code: status, message, status: isStatus ? code : usual, details } };
}
