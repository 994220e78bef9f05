import type * as Http from 'node:http';
import type * as Https from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:net';
import { isObject } from '../agents/login-files.js';
import type { JsonObject } from '../agents/types.js';
import { checkBody } from './check-body.js';
import { checkHead, Refusal } from './check-head.js';
import { findModelPath } from './model-paths.js';
import { PLACEHOLDER, VENDOR_ADDRESSES } from './vendors.js';
import type { ModelRoute } from './types.js';

// Don't use `import`: see `gateway.ts`.
const http = (): typeof Http => process.getBuiltinModule('node:http');
const https = (): typeof Https => process.getBuiltinModule('node:https');

/** As much as the vendors accept. */
const MAX_BODY_BYTES = 32 * 1024 ** 2;
const MAX_CONNECTIONS = 256;
const MAX_ERROR_BYTES = 64 * 1024;

/** Headers of an answer that reach the agent. Not `set-cookie`, and no address to go to. */
const ANSWERED = /^(content-type|content-encoding|retry-after|request-id|x-request-id|x-should-retry|date)$/;
const ANSWERED_PREFIXES = ['anthropic-', 'openai-', 'x-ratelimit-', 'x-codex-'];

export interface ModelGatewayOptions {
  readonly routes: readonly ModelRoute[];
  /** Called for each request to a vendor, with the host and port of its base URL. */
  readonly onForwarded?: ((to: { host: string; port: number }) => void) | undefined;
  readonly onRefused?: (reason: string) => void;
}

export interface ModelGateway {
  /** Accepts connections from a socket that listens in the network of the run. */
  serve(listener: Server): void;
  close(): void;
}

/**
 * Answers requests for models with the person's key, which never enters the sandbox. It parses each request and sends its own: to a path of the
 * table, with the body parsed and rewritten, so that two parsers can't read it differently.
 */
export function openModelGateway({ routes, onForwarded, onRefused }: ModelGatewayOptions): ModelGateway {
  const server = http().createServer({ maxHeaderSize: 32 * 1024 });
  server.maxConnections = MAX_CONNECTIONS;
  const listeners: Server[] = [];
  server.on('request', (request, response) => {
    void answer(request, response, { routes, onForwarded }).catch((error: unknown) => {
      if (error instanceof Refusal) onRefused?.(error.message);
      if (error instanceof Refusal) fail(response, error.status, `refuses ${error.message}`);
      else fail(response, 502, 'could not reach the vendor, or got no answer');
    });
  });
  // Without these, Node would answer `Expect` itself, and leave other protocols to us.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket) => socket.destroy());
  server.on('upgrade', (_request, socket) => {
    onRefused?.('another protocol (upgrade)');
    socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  });
  return {
    serve(listener) {
      listeners.push(listener);
      listener.on('error', () => undefined).on('connection', (socket) => server.emit('connection', socket));
    },
    close() {
      for (const listener of listeners) listener.close();
      server.closeAllConnections();
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { routes, onForwarded }: Pick<ModelGatewayOptions, 'routes' | 'onForwarded'>,
): Promise<void> {
  const { method = '', url = '', rawHeaders } = request;
  const headers = checkHead(rawHeaders);
  const route = routes.find(({ vendor }) => url.startsWith(`${VENDOR_ADDRESSES[vendor].inside}/`));
  const target =
    route === undefined
      ? undefined
      : findModelPath(route.vendor, method, url.slice(VENDOR_ADDRESSES[route.vendor].inside.length));
  // A query could have a key in it.
  if (route === undefined || target === undefined) throw new Refusal(404, `${method} ${shownPath(url)}`);
  const body = method === 'POST' ? await readBody(request) : undefined;
  if (body !== undefined && !route.allowsFetch) checkBody(route.vendor, body);
  const to = new URL(`${route.url.replace(/\/+$/, '')}${target}`);
  onForwarded?.({ host: to.hostname, port: Number(to.port || (to.protocol === 'https:' ? 443 : 80)) });
  const { header, value } = route.credential;
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const answered = await send(to, {
    method,
    headers: {
      ...headers,
      ...(bytes === undefined ? {} : { 'content-type': 'application/json', 'content-length': bytes.length }),
      'accept-encoding': 'identity',
      [header]: value,
    },
    bytes,
    response,
  });
  await passOn(answered, response, value);
}

async function readBody(request: IncomingMessage): Promise<JsonObject> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json') throw new Refusal(415, 'a body that is not JSON');
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MAX_BODY_BYTES) throw new Refusal(413, 'a body that is too large');
    parts.push(part);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
    const body: unknown = JSON.parse(text);
    if (isObject(body)) return body;
  } catch {
    // Reported below.
  }
  throw new Refusal(400, 'a body that is not JSON');
}

interface Sending {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly bytes: Buffer | undefined;
  /** The request ends when nobody waits for the answer any more. */
  readonly response: ServerResponse;
}

async function send(to: URL, { method, headers, bytes, response }: Sending): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    const { request } = to.protocol === 'https:' ? https() : http();
    const outgoing = request(to, { method, headers }, resolve).on('error', reject);
    response.on('close', () => outgoing.destroy());
    outgoing.end(bytes);
  });
}

/** Follows no redirect, and hides the key if an error quotes it. */
async function passOn(answered: IncomingMessage, response: ServerResponse, credential: string): Promise<void> {
  const status = answered.statusCode ?? 502;
  if (status >= 300 && status < 400) {
    answered.destroy();
    throw new Refusal(502, 'a redirect');
  }
  const headers = Object.entries(answered.headers).filter(
    ([name]) => ANSWERED.test(name) || ANSWERED_PREFIXES.some((prefix) => name.startsWith(prefix)),
  );
  if (status < 400) {
    response.writeHead(status, Object.fromEntries(headers));
    answered.pipe(response).on('error', () => answered.destroy());
    answered.on('error', () => response.destroy());
    return;
  }
  let text = '';
  for await (const part of answered.setEncoding('utf8')) {
    text += String(part);
    if (text.length > MAX_ERROR_BYTES) break;
  }
  const key = credential.replace(/^Bearer /, '');
  const shown = Buffer.from(text.slice(0, MAX_ERROR_BYTES).replaceAll(key, PLACEHOLDER));
  const kept = headers.filter(([name]) => name !== 'content-encoding');
  response.writeHead(status, { ...Object.fromEntries(kept), 'content-length': shown.length });
  response.end(shown);
}

/** An error in a form that every vendor's client reads. */
function fail(response: ServerResponse, status: number, what: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const message = `countersign run ${what}`;
  const error = { type: 'permission_error', code: status, status: 'PERMISSION_DENIED', message };
  // The rest of a body that was not read can't be skipped.
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ type: 'error', error }));
}

function shownPath(url: string): string {
  return (url.split('?')[0] ?? '').replaceAll(/[^\w./:-]/g, '?').slice(0, 200);
}
