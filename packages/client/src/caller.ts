import { listOf, registeredClientSchema, type NewClient, type RegisteredClient } from '@countersign/protocol';
import type { z } from 'zod';
import { ClientError } from './client-error.js';
import type { CallOptions, List, Tagged } from './client.js';
import { backOff, pause, systemClock, type Clock } from './clock.js';
import { streamEvents, type Batch, type EventsOptions } from './events.js';
import { readJson, readText, send, type Connector, type Request } from './request.js';

export interface ClientOptions {
  /** Where the server is, such as `http://127.0.0.1:4160`; a page of the server itself gives its own origin. */
  url: string;
  /** The bearer token, for programs. A browser never has it: it has a session (W1). */
  token?: string;
  /** The half of a session that a page keeps; the other half is a cookie. */
  session?: string;
  fetch?: typeof fetch;
  clock?: Clock;
  random?: () => number;
}

/** How often a message or a decision is sent that the server may not have got. Each can be sent again without harm. */
const TRIES = 4;

/** The ways of asking a server that its routes are written in, and who this client is to each world. */
export function createCaller(options: ClientOptions) {
  const registered = new Map<string, { secret: string; as: NewClient }>();
  const registering = new Map<string, Promise<RegisteredClient>>();
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const connector: Connector = {
    url: options.url,
    ...(options.token === undefined ? {} : { token: options.token }),
    ...(options.session === undefined ? {} : { session: options.session }),
    // Called as a method of something else, a browser's fetch refuses.
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
    secretFor: (world) => registered.get(world)?.secret,
  };

  async function get<S extends z.ZodType>(
    schema: S,
    request: Request,
    { signal }: CallOptions = {},
  ): Promise<z.output<S>> {
    return await readJson(await send(connector, { ...request, signal }), schema, signal);
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
  async function nothing(request: Request, { signal }: CallOptions = {}): Promise<void> {
    const response = await send(connector, { ...request, signal });
    await response.body?.cancel();
  }
  /** For what is the same when it is sent twice. */
  async function again<S extends z.ZodType>(
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

  async function register(world: string, as: NewClient, options: CallOptions = {}): Promise<RegisteredClient> {
    const request: Request = { method: 'POST', path: ['worlds', world, 'clients'], body: as };
    const made = await get(registeredClientSchema, request, options);
    registered.set(world, { secret: made.clientSecret, as });
    return made;
  }

  function forget(world: string): void {
    registered.delete(world);
  }

  /** For what only a forgotten client is refused: away for longer than the server waits, all that is left is to come in anew. */
  async function sendKnown(world: string, request: Request): Promise<Response> {
    const before = registered.get(world);
    try {
      return await send(connector, request);
    } catch (error) {
      if (before === undefined || !(error instanceof ClientError) || error.status !== 403) throw error;
      if (registered.get(world) === before) await registerAgain(world, before.as);
      return await send(connector, request);
    }
  }

  /** Once, however many requests find out at the same time: each registration is another client to the server. */
  async function registerAgain(world: string, as: NewClient, options?: CallOptions): Promise<void> {
    const running = registering.get(world) ?? register(world, as, options).finally(() => registering.delete(world));
    registering.set(world, running);
    await running;
  }

  const batches = (world: string, { chat, as, ...rest }: EventsOptions): AsyncGenerator<Batch, void, undefined> =>
    streamEvents(
      {
        worldId: world,
        clock,
        random,
        open: async (after, signal) => {
          if (as !== undefined && !registered.has(world)) await registerAgain(world, as, { signal });
          const resume = after === undefined ? {} : { 'Last-Event-ID': String(after) };
          const path = ['worlds', world, ...(chat === undefined ? [] : ['chats', chat]), 'events'];
          return await sendKnown(world, { path, headers: { Accept: 'text/event-stream', ...resume }, signal });
        },
      },
      rest,
    );

  async function getKnown<S extends z.ZodType>(
    world: string,
    schema: S,
    request: Request,
    { signal }: CallOptions = {},
  ): Promise<z.output<S>> {
    return await readJson(await sendKnown(world, { ...request, signal }), schema, signal);
  }

  /** False: it has said that it can't put questions to a person. */
  const isAsked = (world: string): boolean => registered.get(world)?.as.approvals !== false;

  return { clock, random, get, list, tagged, text, nothing, again, getKnown, isAsked, register, forget, batches };
}
