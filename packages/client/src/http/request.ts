import {
  CLIENT_HEADER,
  problemSchema,
  SESSION_HEADER,
  type Confirmable,
  type PasskeyConfirmation,
} from '@countersign/protocol';
import type { z } from 'zod';
import { ClientError } from './client-error.js';

export interface Connector {
  readonly url: string;
  readonly token?: string;
  readonly session?: string;
  readonly userAgent?: string;
  readonly fetch: typeof fetch;
  readonly confirm?: (action: Confirmable) => Promise<PasskeyConfirmation>;
  /** This client's secret in a world, if it is registered there. */
  readonly secretFor: (world: string) => string | undefined;
}

export interface Request {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path segments under `/api`; each is escaped. */
  path: readonly string[];
  query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON; a string is sent as YAML. */
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
}

const NO_ANSWER = 'The server is not responding. Nothing is lost: messages it has accepted are stored.';

/**
 * Sends a request and returns a successful response. If the server wants a passkey to confirm it, asks for that and sends it again. Rejects only
 * with a `ClientError`, or with an error from `confirm`.
 */
export async function send(connector: Connector, request: Request): Promise<Response> {
  try {
    return await sendOnce(connector, request);
  } catch (error) {
    const { method = 'GET', path, body = {} } = request;
    const isRefused = error instanceof ClientError && error.status === 409 && error.field === 'confirmation';
    if (!isRefused || connector.confirm === undefined || method === 'GET' || !isObject(body)) throw error;
    const action = { kind: 'change-world' as const, method, path: pathOf(path), body };
    return await sendOnce(connector, { ...request, body: { ...body, confirmation: await connector.confirm(action) } });
  }
}

function isObject(body: unknown): body is Record<string, unknown> {
  return typeof body === 'object' && body !== null;
}

async function sendOnce(connector: Connector, request: Request): Promise<Response> {
  const { method = 'GET', body, signal } = request;
  const url = addressOf(connector, request);
  let response: Response;
  try {
    response = await connector.fetch(url, {
      method,
      headers: headersOf(connector, request),
      cache: 'no-store',
      // Our server never redirects, and the credential must not be sent elsewhere.
      redirect: 'error',
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (cause) {
    throw failure(cause, signal);
  }
  if (!response.ok) throw await readProblem(response);
  return response;
}

/** Parses the response as JSON. Unknown fields are dropped: a newer server may send more. */
export async function readJson<S extends z.ZodType>(
  response: Response,
  schema: S,
  signal?: AbortSignal,
): Promise<z.output<S>> {
  const text = await readText(response, signal);
  let value: unknown;
  try {
    value = JSON.parse(text) as unknown;
  } catch (cause) {
    throw unreadable(response, 'not JSON', cause);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw unreadable(response, `${(issue?.path ?? []).map(String).join('.')}: ${issue?.message ?? ''}`, parsed.error);
}

export async function readText(response: Response, signal?: AbortSignal): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    throw failure(cause, signal);
  }
}

/** The error for a failure before or during a response. */
export function failure(cause: unknown, signal: AbortSignal | undefined): ClientError {
  if (signal?.aborted === true) return new ClientError('aborted', { detail: 'The request was cancelled.' }, cause);
  return new ClientError('network', { title: 'No answer', detail: NO_ANSWER }, cause);
}

function addressOf({ url }: Connector, { path, query = {} }: Request): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) words.set(name, String(value));
  const search = words.size === 0 ? '' : `?${words.toString()}`;
  return `${url.replace(/\/+$/, '')}/api${pathOf(path)}${search}`;
}

function pathOf(path: readonly string[]): string {
  const parts = path.map((part) => {
    // fetch would normalize such segments away and send the request to another path.
    if (part === '' || part === '.' || part === '..') {
      throw new ClientError('problem', {
        status: 404,
        title: 'Not Found',
        detail: `"${part}" is not a valid id.`,
      });
    }
    return encodeURIComponent(part);
  });
  return `/${parts.join('/')}`;
}

function headersOf(
  { token, session, userAgent, secretFor }: Connector,
  { path, body, headers }: Request,
): Record<string, string> {
  const [kind, world] = path;
  const secret = kind === 'worlds' && world !== undefined ? secretFor(world) : undefined;
  const type = typeof body === 'string' ? 'application/yaml' : 'application/json';
  return {
    Accept: 'application/json',
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(session === undefined ? {} : { [SESSION_HEADER]: session }),
    ...(secret === undefined ? {} : { [CLIENT_HEADER]: secret }),
    ...(userAgent === undefined ? {} : { 'User-Agent': userAgent }),
    ...(body === undefined ? {} : { 'Content-Type': type }),
    ...headers,
  };
}

export async function readProblem(response: Response): Promise<ClientError> {
  const { status } = response;
  const after = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const more = Number.isFinite(after) && after >= 0 ? { retryAfterMs: after * 1000 } : {};
  try {
    const problem = problemSchema.parse(JSON.parse(await response.text()));
    return new ClientError('problem', { ...problem, status, ...more });
  } catch (cause) {
    const detail = `The server returned status ${status} without an error message.`;
    return new ClientError('problem', { status, title: response.statusText, detail, ...more }, cause);
  }
}

function unreadable(response: Response, why: string, cause: unknown): ClientError {
  const detail = `Could not read the server's response (${why}). Check that the URL belongs to a Countersign server and that the server is not older than this client.`;
  return new ClientError('unreadable', { status: response.status, detail }, cause);
}
