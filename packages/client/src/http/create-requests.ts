import { listOf, type Confirmable, type PasskeyConfirmation } from '@countersign/protocol';
import type { z } from 'zod';
import { backOff, pause, systemClock, type Clock } from '../clock.js';
import { ClientError } from './client-error.js';
import type { CallOptions, List, Tagged } from './client.js';
import { createParser } from 'eventsource-parser';
import { failure, readJson, readProblem, readText, send, type Connector, type Request } from './request.js';

export interface ClientOptions {
  /** The server's URL, such as `http://127.0.0.1:4160`. A page served by the server passes its own origin. */
  url: string;
  /** The bearer token, for programs. Browsers use a session instead (WHO1). */
  token?: string;
  /** A session's header value; the other part is a cookie. */
  session?: string;
  /** Sent as `User-Agent`. Browsers ignore it. */
  userAgent?: string;
  fetch?: typeof fetch;
  /** Asks the person to confirm a change with a passkey (SIGN2.5). The change is then sent again. Without it, such a change is refused. */
  confirm?: (action: Confirmable) => Promise<PasskeyConfirmation>;
  clock?: Clock;
  random?: () => number;
}

/** Maximum number of attempts for an idempotent request, such as a message or a decision. */
const TRIES = 4;

/** Helpers for calling the server's routes. `secretFor`: this client's secret in a world, if it is registered there. */
export function createRequests(options: ClientOptions, secretFor: Connector['secretFor'] = () => undefined) {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const connector: Connector = {
    url: options.url,
    ...(options.token === undefined ? {} : { token: options.token }),
    ...(options.session === undefined ? {} : { session: options.session }),
    ...(options.userAgent === undefined ? {} : { userAgent: options.userAgent }),
    // A browser's fetch throws if it is called as a method of another object.
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
    ...(options.confirm === undefined ? {} : { confirm: options.confirm }),
    secretFor,
  };

  async function get<S extends z.ZodType>(
    schema: S,
    request: Request,
    { signal }: CallOptions = {},
  ): Promise<z.output<S>> {
    return await readJson(await send(connector, { ...request, signal }), schema, signal);
  }
  async function post<S extends z.ZodType>(
    schema: S,
    path: Request['path'],
    body: Request['body'],
    options?: CallOptions,
  ): Promise<z.output<S>> {
    return await get(schema, { method: 'POST', path, body }, options);
  }
  /** Reads events about progress until the result. */
  async function getWithProgress<S extends z.ZodType>(
    schema: S,
    request: Request,
    { signal, tell }: CallOptions & { tell: (data: unknown) => void },
  ): Promise<z.output<S>> {
    const response = await send(connector, { ...request, headers: { Accept: 'text/event-stream' }, signal });
    let result: Response | undefined;
    const parser = createParser({
      onEvent({ event, data }) {
        if (event === 'progress') tell(JSON.parse(data));
        else result = new Response(data, { status: event === 'result' ? 200 : 500 });
      },
    });
    const decoder = new TextDecoder();
    const reader = response.body?.getReader();
    try {
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
        parser.feed(decoder.decode(part.value, { stream: true }));
    } catch (cause) {
      throw failure(cause, signal);
    }
    if (result === undefined) throw failure(undefined, signal);
    if (!result.ok) throw await readProblem(result);
    return await readJson(result, schema, signal);
  }
  async function list<S extends z.ZodType>(
    schema: S,
    request: Request,
    options?: CallOptions,
  ): Promise<List<z.output<S>>> {
    return await get(listOf(schema), request, options);
  }
  async function tagged<S extends z.ZodType>(
    schema: S,
    request: Request,
    { signal }: CallOptions = {},
  ): Promise<Tagged<z.output<S>>> {
    const response = await send(connector, { ...request, signal });
    return { value: await readJson(response, schema, signal), etag: response.headers.get('ETag') ?? undefined };
  }
  async function text(request: Request, { signal }: CallOptions = {}): Promise<string> {
    return await readText(await send(connector, { ...request, signal }), signal);
  }
  async function blob(request: Request, { signal }: CallOptions = {}): Promise<Blob> {
    const response = await send(connector, { ...request, signal });
    try {
      return await response.blob();
    } catch (cause) {
      throw failure(cause, signal);
    }
  }
  async function sendOnly(request: Request, { signal }: CallOptions = {}): Promise<void> {
    const response = await send(connector, { ...request, signal });
    await response.body?.cancel();
  }
  async function remove(path: Request['path'], options?: CallOptions): Promise<void> {
    await sendOnly({ method: 'DELETE', path }, options);
  }
  /** Retries idempotent requests. */
  async function sendWithRetries<S extends z.ZodType>(
    schema: S,
    request: Request,
    options: CallOptions = {},
  ): Promise<z.output<S>> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await get(schema, request, options);
      } catch (error) {
        if (!(error instanceof ClientError) || error.kind !== 'network' || tries >= TRIES) throw error;
        await pause(clock, backOff(tries, random), options.signal);
      }
    }
  }

  return {
    connector,
    clock,
    random,
    get,
    post,
    getWithProgress,
    list,
    tagged,
    text,
    blob,
    remove,
    sendOnly,
    sendWithRetries,
  };
}

export type Requests = ReturnType<typeof createRequests>;
