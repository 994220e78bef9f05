import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { ExternalCall, ExternalResult, NewExternalCall } from '@countersign/protocol';
import { gateHook as texts } from '../../words/gate.js';
import { isObject } from '../json-text.js';

/** The server rejected the request, or couldn't be reached (status 0). */
export class HookServerError extends Error {
  readonly status: number;
  /** Why it couldn't be reached, such as `ECONNREFUSED`. */
  readonly code: string | undefined;

  constructor(status: number, message: string, code?: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The part of the API that a hook uses. Each hook is a new process, and loading the whole client would take longer than the request. */
export interface HookServer {
  propose(call: NewExternalCall): Promise<ExternalCall>;
  /** Waits up to 50 seconds for a decision. */
  wait(id: string, seconds: number): Promise<ExternalCall>;
  report(id: string, result: ExternalResult): Promise<void>;
  endSession(session: string): Promise<void>;
}

/** Longer than the server waits for a decision. A connection that hangs must not keep the agent waiting forever. */
const TIMEOUT_MS = 70_000;
const IPV4 = '127.0.0.1';
const MOST_BYTES = 4 * 1024 * 1024;

export function hookServer({ url, token, world }: { url: string; token: string; world: string }): HookServer {
  const path = (...parts: readonly string[]): URL => {
    const base = url.endsWith('/') ? url : `${url}/`;
    return new URL(['api', 'worlds', world, 'external', ...parts].map(encodeURIComponent).join('/'), base);
  };
  const post = (to: URL, body: unknown): Promise<unknown> => send(to, token, { method: 'POST', body });
  return {
    propose: async (call) => toCall(await post(path('calls'), call)),
    async wait(id, seconds) {
      const to = path('calls', id);
      to.searchParams.set('wait', String(seconds));
      return toCall(await send(to, token, { method: 'GET' }));
    },
    async report(id, result) {
      await post(path('calls', id, 'result'), result);
    },
    async endSession(session) {
      await post(path('sessions', session, 'end'), {});
    },
  };
}

async function send(to: URL, token: string, { method, body }: { method: string; body?: unknown }): Promise<unknown> {
  const response = await open(to, token, { method, text: body === undefined ? undefined : JSON.stringify(body) });
  const text = await readText(response);
  const status = response.statusCode ?? 0;
  if (status === 204) return undefined;
  const value = parse(text, status);
  if (status >= 200 && status < 300) return value;
  const detail = isObject(value) ? value['detail'] : undefined;
  throw new HookServerError(status, typeof detail === 'string' ? detail : texts.answered(status));
}

interface Sent {
  readonly method: string;
  readonly text: string | undefined;
}

async function open(to: URL, token: string, sent: Sent): Promise<IncomingMessage> {
  // Most servers are local. TLS takes time to load.
  if (to.protocol === 'https:') return await openWith((await import('node:https')).request, to, token, sent);
  if (to.hostname !== 'localhost' && to.hostname !== IPV4) return await openWith(httpRequest, to, token, sent);
  const port = Number(to.port === '' ? 80 : to.port);
  try {
    // Looking up the name and Node's connection pool take longer than the request.
    const createConnection = (): Socket => connect({ host: IPV4, port, timeout: TIMEOUT_MS });
    return await openWith(httpRequest, to, token, { ...sent, createConnection });
  } catch (error) {
    // The server may listen on ::1 only.
    const isRefused = error instanceof HookServerError && error.code === 'ECONNREFUSED';
    if (to.hostname === IPV4 || !isRefused) throw error;
    return await openWith(httpRequest, to, token, sent);
  }
}

async function openWith(
  request: typeof httpRequest,
  to: URL,
  token: string,
  { method, text, createConnection }: Sent & Pick<RequestOptions, 'createConnection'>,
): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    const connection = createConnection === undefined ? { agent: false } : { createConnection };
    const sent = request(to, { method, headers, timeout: TIMEOUT_MS, ...connection }, resolve);
    sent.once('timeout', () => sent.destroy(new Error(texts.noAnswer)));
    sent.once('error', (error: NodeJS.ErrnoException) =>
      reject(new HookServerError(0, texts.unreachable(to.origin, error.message), error.code)),
    );
    sent.end(text);
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of response) {
      parts.push(part as Buffer);
      bytes += (part as Buffer).length;
      if (bytes > MOST_BYTES) throw new Error(texts.longAnswer);
    }
  } catch (error) {
    throw new HookServerError(0, error instanceof Error ? error.message : String(error));
  }
  return Buffer.concat(parts).toString('utf8');
}

function parse(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HookServerError(status < 500 ? status : 0, texts.noJson(status));
  }
}

const STATES = ['pending', 'allowed', 'denied', 'ended'] as const;

/** Strict: anything else is no yes. */
function toCall(value: unknown): ExternalCall {
  const state = isObject(value) ? STATES.find((known) => known === value['state']) : undefined;
  if (!isObject(value) || state === undefined || typeof value['id'] !== 'string')
    throw new HookServerError(200, texts.notACall);
  const { id, arguments: args, edited, reason } = value;
  return {
    id,
    state,
    ...(isObject(args) ? { arguments: args } : {}),
    ...(typeof edited === 'boolean' ? { edited } : {}),
    ...(typeof reason === 'string' ? { reason } : {}),
  };
}
