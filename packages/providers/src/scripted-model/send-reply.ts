import type { ServerResponse } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { sendJson } from './send-json.js';
import type { ScriptedModelReply } from './types.js';
import type { Wire, WireHead, WireReply } from './wire.js';

const SIGNATURE = Buffer.from('scripted').toString('base64');

interface Sending {
  response: ServerResponse;
  wire: Wire;
  head: WireHead;
  stream: boolean;
  /** Used if the reply doesn't set its own usage. */
  inputTokens: number;
}

/** Sends a reply and returns its status; undefined if there was no complete response. Resolves early if the client disconnects. */
export async function sendReply(reply: ScriptedModelReply, sending: Sending): Promise<number | undefined> {
  const { response } = sending;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  if (response.destroyed) gone.abort();
  try {
    return await send(reply, sending, gone.signal);
  } catch (error) {
    // The client disconnected during a delay.
    if (gone.signal.aborted) return undefined;
    throw error;
  }
}

async function send(
  reply: ScriptedModelReply,
  { response, wire, head, stream, inputTokens }: Sending,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (reply.delayMs !== undefined) await after(reply.delayMs, undefined, { signal });
  if (reply.error !== undefined) {
    const { status, message = `The script answers with status ${status}.`, ...rest } = reply.error;
    const headers = rest.retryAfter === undefined ? {} : { 'retry-after': String(rest.retryAfter) };
    sendJson(response, status, wire.error({ status, message, ...rest }), headers);
    return status;
  }
  const answer = toWireReply(reply, `${wire.callPrefix}${head.id}`, inputTokens);
  const chunks = stream ? wire.frames(answer, head) : [JSON.stringify(wire.whole(answer, head))];
  if (reply.connection === undefined) {
    if (!stream) {
      sendJson(response, 200, chunks[0] ?? '');
      return 200;
    }
    await sendChunks(response, chunks, reply.chunkDelayMs, signal);
    response.end();
    return 200;
  }
  await sendHalf({ response, chunks: hasAnswer(reply) ? chunks : [], stream, delayMs: reply.chunkDelayMs, signal });
  if (reply.connection === 'drop') response.destroy();
  return undefined;
}

function toWireReply(reply: ScriptedModelReply, id: string, input: number): WireReply {
  const { text, thinking, calls = [] } = reply;
  const called = calls.map(({ name, arguments: args = {} }, index) => ({
    id: `${id}${index}`,
    name,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
  }));
  const written = `${text ?? ''}${thinking ?? ''}${called.map((call) => call.name + call.arguments).join('')}`;
  return {
    ...(text === undefined ? {} : { text }),
    ...(thinking === undefined ? {} : { thinking, signature: SIGNATURE }),
    calls: called,
    usage: reply.usage ?? { input, output: estimateTokens(written) },
  };
}

/** Assumes about four characters per token. */
export function estimateTokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4));
}

function hasAnswer({ text, thinking, calls }: ScriptedModelReply): boolean {
  return text !== undefined || thinking !== undefined || calls !== undefined;
}

async function sendChunks(
  response: ServerResponse,
  chunks: readonly string[],
  delayMs: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const [index, chunk] of chunks.entries()) {
    if (index > 0 && delayMs !== undefined) await after(delayMs, undefined, { signal });
    response.write(chunk);
  }
}

interface Half {
  response: ServerResponse;
  chunks: readonly string[];
  stream: boolean;
  delayMs: number | undefined;
  signal: AbortSignal;
}

/** Sends the first half of an answer, and resolves when it has been sent. */
async function sendHalf({ response, chunks, stream, delayMs, signal }: Half): Promise<void> {
  if (chunks.length === 0) return;
  if (stream) await sendChunks(response, chunks.slice(0, Math.ceil(chunks.length / 2)), delayMs, signal);
  else {
    const [text = ''] = chunks;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.write(text.slice(0, text.length / 2));
  }
  await new Promise<void>((resolve) => {
    response.write('', () => resolve());
  });
}
