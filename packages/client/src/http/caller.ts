import {
  readFrame,
  readQueueFrame,
  registeredClientSchema,
  type NewClient,
  type QueueChange,
  type RegisteredClient,
} from '@countersign/protocol';
import type { z } from 'zod';
import { ClientError } from './client-error.js';
import type { CallOptions } from './client.js';
import { createRequests, type ClientOptions } from './create-requests.js';
import { streamEvents, type Batch, type EventsOptions } from './events.js';
import { readJson, send, type Request } from './request.js';

/** Helpers for calling the server's routes, and the client registrations per world. */
export function createCaller(options: ClientOptions) {
  const registered = new Map<string, { secret: string; as: NewClient }>();
  const registering = new Map<string, Promise<RegisteredClient>>();
  const requests = createRequests(options, (world) => registered.get(world)?.secret);
  const { clock, random, connector, get } = requests;
  async function register(world: string, as: NewClient, options: CallOptions = {}): Promise<RegisteredClient> {
    const request: Request = { method: 'POST', path: ['worlds', world, 'clients'], body: as };
    const made = await get(registeredClientSchema, request, options);
    registered.set(world, { secret: made.clientSecret, as });
    return made;
  }

  function forget(world: string): void {
    registered.delete(world);
  }

  /** Retries after registering again if the server has forgotten this client, as it does after a long disconnect. */
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

  /** Deduplicates concurrent registrations: otherwise, each would create another client on the server. */
  async function registerAgain(world: string, as: NewClient, options?: CallOptions): Promise<void> {
    const running = registering.get(world) ?? register(world, as, options).finally(() => registering.delete(world));
    registering.set(world, running);
    await running;
  }

  const batches = (world: string, { chat, as, ...rest }: EventsOptions): AsyncGenerator<Batch, void, undefined> =>
    streamEvents(
      {
        read: (frame) => readFrame(frame, world),
        idOf: ({ id }) => id,
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

  const queueBatches = (
    options: Pick<EventsOptions, 'signal' | 'wakes'>,
  ): AsyncGenerator<Batch<QueueChange>, void, undefined> =>
    streamEvents<QueueChange>(
      {
        read: readQueueFrame,
        clock,
        random,
        open: async (_after, signal) =>
          await send(connector, { path: ['approvals', 'events'], headers: { Accept: 'text/event-stream' }, signal }),
      },
      options,
    );

  async function getKnown<S extends z.ZodType>(
    world: string,
    schema: S,
    request: Request,
    { signal }: CallOptions = {},
  ): Promise<z.output<S>> {
    return await readJson(await sendKnown(world, { ...request, signal }), schema, signal);
  }

  /** False if the client registered without approvals. */
  const isAsked = (world: string): boolean => registered.get(world)?.as.approvals !== false;

  return { ...requests, getKnown, isAsked, register, forget, batches, queueBatches };
}
