import { once } from 'node:events';
import * as http from 'node:http';
import type { Agent, IncomingMessage } from 'node:http';
import * as https from 'node:https';
import { Readable } from 'node:stream';
import { StreamableHTTPClientTransport, type AuthProvider, type Transport } from '@modelcontextprotocol/client';
import { hasAuthorizationHeader } from '@countersign/core/ports';
import type { McpServerDefinition } from '@countersign/protocol';
import { onlyTo, publicNetwork, type Network } from '../../web/network.js';
import { checkedAddresses } from './refuse-metadata.js';
import { LARGEST_MESSAGE } from './stdio-transport.js';

export type HttpDefinition = Extract<McpServerDefinition, { transport: 'http' }>;

interface SignInOptions {
  authProvider: AuthProvider;
  /** Called with the status of each response. */
  onStatus: (status: number) => void;
}

/** Follows redirects only within the origin: the headers contain the user's secrets for this server. */
export function createHttpTransport(
  definition: HttpDefinition,
  signIn?: SignInOptions,
  resolve: Network['resolve'] = publicNetwork.resolve,
): Transport {
  const { url, headers } = definition;
  const send = createFetch(definition, resolve);
  const isSignIn = signIn !== undefined && !hasAuthorizationHeader(definition);
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    ...(isSignIn ? { authProvider: signIn.authProvider } : {}),
    redirectPolicy: 'same-origin',
    // Fail fast; the supervisor decides whether to reconnect.
    reconnectionOptions: {
      initialReconnectionDelay: 500,
      reconnectionDelayGrowFactor: 2,
      maxReconnectionDelay: 5_000,
      maxRetries: 2,
    },
    fetch: async (to, init) => {
      const response = limited(await send(new URL(to), init));
      signIn?.onStatus(response.status);
      return response;
    },
  });
}

/** Connects only to addresses that were checked. Follows no redirect. */
function createFetch(definition: HttpDefinition, resolve: Network['resolve']) {
  // Own connections: one of another definition may lead to an address that this one may not reach.
  const agents = new Map<string, Agent>();
  return async (url: URL, init: RequestInit = {}): Promise<Response> => {
    const lookup = onlyTo(await checkedAddresses(url, definition, resolve));
    const { Agent, request } = url.protocol === 'https:' ? https : http;
    const agent = agents.get(url.protocol) ?? new Agent({ keepAlive: true });
    agents.set(url.protocol, agent);
    const { method = 'GET', body, signal } = init;
    const headers = { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' };
    const asked = request(url, { agent, lookup, method, headers, ...(signal ? { signal } : {}) });
    // After the response, `once` no longer listens: without a signal, a reset or invalid chunk would end the process.
    asked.on('error', () => undefined);
    asked.end(typeof body === 'string' ? body : undefined);
    const [incoming] = (await once(asked, 'response')) as [IncomingMessage];
    return toResponse(incoming);
  };
}

function toResponse(incoming: IncomingMessage): Response {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const { statusCode: status = 0, statusMessage: statusText = '' } = incoming;
  const isEmpty = status === 204 || status === 205 || status === 304;
  // An empty response must still be read, or its connection stays busy.
  if (isEmpty) incoming.resume();
  const body = isEmpty ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>);
  return new Response(body, { status, statusText, headers });
}

/** Limits the size of a response, so that an endless one can't fill our memory. In a stream, the limit applies to each event. */
function limited(response: Response): Response {
  if (response.body === null) return response;
  const stream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const body = response.body.pipeThrough(createLimiter(stream));
  const { status, statusText, headers } = response;
  const answer = new Response(body, { status, statusText, headers });
  // Plain assignment fails: the HTTP server replaces the global Response with one whose `json` is read-only.
  return Object.defineProperty(answer, 'json', { value: () => readJson(body) });
}

/** Decodes chunks as they arrive: decoding megabytes at once would block the event loop. */
async function readJson(body: ReadableStream<Uint8Array>): Promise<unknown> {
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  for await (const bytes of body) pieces.push(decoder.decode(bytes, { stream: true }));
  return JSON.parse([...pieces, decoder.decode()].join(''));
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

function createLimiter(events: boolean): TransformStream<Uint8Array, Uint8Array> {
  let since = 0;
  let last = 0;
  return new TransformStream({
    transform(chunk, controller) {
      since += chunk.length;
      if (events) {
        const end = lastBlankLine(chunk, last);
        if (end !== -1) since = chunk.length - end;
        last = chunk.at(-1) ?? last;
      }
      if (since > LARGEST_MESSAGE) {
        const size = `${LARGEST_MESSAGE / 1024 / 1024} MB`;
        controller.error(new Error(`the server sent a message larger than ${size}`));
      } else controller.enqueue(chunk);
    },
  });
}

/** The index after the last blank line in this chunk, which ends an event, or -1. */
function lastBlankLine(chunk: Uint8Array, before: number): number {
  for (let index = chunk.length - 1; index >= 0; index -= 1) {
    const byte = chunk[index];
    if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) continue;
    const previous = index === 0 ? before : chunk[index - 1];
    const blank =
      byte === LINE_FEED && previous === CARRIAGE_RETURN ? (chunk[index - 2] ?? 0) === LINE_FEED : previous === byte;
    if (blank) return index + 1;
  }
  return -1;
}
