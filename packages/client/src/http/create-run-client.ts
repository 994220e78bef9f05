import { runSchema, startedRunSchema, startLinkSchema, worldSchema, type Run } from '@countersign/protocol';
import type { CallOptions, Client } from './client.js';
import { createRequests, type ClientOptions, type Requests } from './create-requests.js';

/** The part of a client that a run needs. Most of the time that it takes to load a client is for the schemas of the other answers. */
export type RunClient = Pick<Client, 'url' | 'worlds' | 'createWorld' | 'startLink' | 'runs'>;

export function createRunClient(options: ClientOptions): RunClient {
  return { url: options.url, ...runCalls(createRequests(options)) };
}

export function runCalls({ get, list, post }: Pick<Requests, 'get' | 'list' | 'post'>): Omit<RunClient, 'url'> {
  const changeRun = async (world: string, run: string, how: string, options?: CallOptions): Promise<Run> =>
    await post(runSchema, ['worlds', world, 'runs', run, how], undefined, options);
  return {
    startLink: (options) => post(startLinkSchema, ['tickets'], undefined, options),
    worlds: (page, options) => list(worldSchema, { path: ['worlds'], query: { ...page } }, options),
    createWorld: (body, options) => post(worldSchema, ['worlds'], body, options),
    runs: {
      start: (world, body, options) => post(startedRunSchema, ['worlds', world, 'runs'], body, options),
      end: (world, run, options) => changeRun(world, run, 'end', options),
      list: (world, page, options) => list(runSchema, { path: ['worlds', world, 'runs'], query: { ...page } }, options),
      get: (world, run, options) => get(runSchema, { path: ['worlds', world, 'runs', run] }, options),
      apply: (world, run, body = {}, options = {}) =>
        post(runSchema, ['worlds', world, 'runs', run, 'apply'], body, options),
      requestChanges: (world, run, body, options) =>
        post(runSchema, ['worlds', world, 'runs', run, 'request-changes'], body, options),
      select: (world, run, body, options) => post(runSchema, ['worlds', world, 'runs', run, 'select'], body, options),
      restart: (world, run, body, options) =>
        post(startedRunSchema, ['worlds', world, 'runs', run, 'restart'], body, options),
      discard: (world, run, options) => changeRun(world, run, 'discard', options),
    },
  };
}
