import { randomUUID } from 'node:crypto';
import { channelFetch } from '@countersign/server/channel';
import { createParser } from 'eventsource-parser';
import { errors } from '../words/errors.js';
import {
  answerTo,
  cancelledBy,
  headersOf,
  readRequest,
  versionIn,
  withKey,
  type McpRequest,
  type RequestId,
} from './message.js';

/** Where the gateway is, looked up before each attempt: a server may be restarted on another port. */
export type FindGateway = () => Promise<{ url: string; token: string }>;

interface ForwardOptions {
  find: FindGateway;
  /** Writes one message to the client. */
  write: (message: unknown) => void;
  /** Called once when a request couldn't be sent and is tried again. */
  onLost: (error: unknown) => void;
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
  fetchWith?: (token: string) => typeof fetch;
}

export interface Forwarder {
  /** Handles one line of the client. Never rejects. */
  receive(line: string): Promise<void>;
  /** Ends all requests. */
  close(): void;
}

/** The server refused a message. The sentence is for the client. */
class Refused extends Error {}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
const SESSION = 'mcp-session-id';
/** JSON-RPC error codes. */
const INVALID_JSON = -32_700;
const SERVER_ERROR = -32_000;

/**
 * Forwards an MCP client's messages to the gateway over HTTP. A request that gets no answer is sent again for as long as the client waits; a call keeps
 * its key, so it never runs twice.
 */
export function forwardMessages({ find, write, onLost, pause, fetchWith = channelFetch }: ForwardOptions): Forwarder {
  const open = new Map<RequestId, AbortController>();
  const all = new AbortController();
  let session: string | undefined;
  let version: string | undefined;

  async function post(message: unknown, signal: AbortSignal): Promise<Response> {
    const { url, token } = await find();
    const response = await fetchWith(token)(url, {
      method: 'POST',
      redirect: 'error',
      signal,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headersOf(message, version),
        ...(session === undefined ? {} : { [SESSION]: session }),
      },
      body: JSON.stringify(message),
    });
    if (response.status >= 500 || response.status === 429) throw new Error(`status ${response.status}`);
    if (response.status >= 400) throw new Refused(await detailOf(response));
    return response;
  }

  /** Sends a request once. False if the answer is still missing. */
  async function ask(request: McpRequest, signal: AbortSignal): Promise<boolean> {
    const response = await post(request, signal);
    for await (const message of messagesOf(response)) {
      const answer = answerTo(message, request.id);
      if (answer === 'again') return false;
      if (request.method === 'initialize') {
        session = response.headers.get(SESSION) ?? undefined;
        version = versionIn(message) ?? version;
      }
      write(message);
      // Don't read on: if the connection broke now, the request would be sent again.
      if (answer === 'yes') return true;
    }
    return false;
  }

  async function request(message: McpRequest): Promise<void> {
    const { id } = message;
    const stop = new AbortController();
    const signal = stop.signal;
    const end = (): void => stop.abort();
    all.signal.addEventListener('abort', end);
    open.get(id)?.abort();
    open.set(id, stop);
    const named = withKey(message, randomUUID());
    try {
      for (let ms = FIRST_PAUSE_MS; !signal.aborted; ms = Math.min(ms * 2, LONGEST_PAUSE_MS)) {
        let lost: unknown;
        try {
          if (await ask(named, signal)) return;
        } catch (error) {
          if (signal.aborted) return;
          if (error instanceof Refused) return write(failure(id, SERVER_ERROR, error.message));
          lost = error;
        }
        onLost(lost);
        await pause(ms, signal);
      }
    } finally {
      all.signal.removeEventListener('abort', end);
      if (open.get(id) === stop) open.delete(id);
    }
  }

  return {
    async receive(line) {
      const message = parse(line);
      if (message === undefined) return write(failure(null, INVALID_JSON, errors.gatewayNotJson));
      const asked = readRequest(message);
      if (asked !== undefined) return await request(asked);
      const cancelled = cancelledBy(message);
      try {
        for await (const answer of messagesOf(await post(message, all.signal))) write(answer);
      } catch {
        // A notification gets no answer. The next request reports what is wrong.
      }
      if (cancelled !== undefined) open.get(cancelled)?.abort();
    },
    close: () => all.abort(),
  };
}

function failure(id: RequestId | null, code: number, message: string): unknown {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function detailOf(response: Response): Promise<string> {
  const body: unknown = parse(await response.text());
  if (typeof body === 'object' && body !== null) {
    if ('detail' in body && typeof body.detail === 'string') return body.detail;
    if ('error' in body && typeof body.error === 'object' && body.error !== null && 'message' in body.error)
      return String(body.error.message);
  }
  return errors.gatewayStatus(response.status);
}

/** The messages of a response: one JSON document, or a stream of events. */
async function* messagesOf(response: Response): AsyncGenerator {
  if (response.body === null) return;
  if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
    const text = await response.text();
    if (text !== '') yield JSON.parse(text);
    return;
  }
  const found: unknown[] = [];
  const parser = createParser({ onEvent: ({ data }) => void (data === '' || found.push(JSON.parse(data))) });
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    parser.feed(chunk);
    yield* found.splice(0);
  }
}
