import { runSchema, startedRunSchema, startLinkSchema, worldSchema, type Run } from '@countersign/protocol';
import type { CallOptions, Client } from './client.js';
import { createRequests, type ClientOptions, type Requests } from './create-requests.js';

/** The part of a client that a run needs. Most of the time that it takes to load a client is for the schemas of the other answers. */
export type RunClient = Pick<Client, 'url' | 'worlds' | 'createWorld' | 'startLink' | 'runs'>;

export function createRunClient(options: ClientOptions): RunClient {
  return { url: options.url, ...runCalls(createRequests(options)) };
}

export function runCalls({ get, list }: Pick<Requests, 'get' | 'list'>): Omit<RunClient, 'url'> {
  const changeRun = async (world: string, run: string, how: string, options?: CallOptions): Promise<Run> =>
    await get(runSchema, { method: 'POST', path: ['worlds', world, 'runs', run, how] }, options);
  return {
    startLink: (options) => get(startLinkSchema, { method: 'POST', path: ['tickets'] }, options),
    worlds: (page, options) => list(worldSchema, { path: ['worlds'], query: { ...page } }, options),
    createWorld: (body, options) => get(worldSchema, { method: 'POST', path: ['worlds'], body }, options),
    runs: {
      start: (world, body, options) =>
        get(startedRunSchema, { method: 'POST', path: ['worlds', world, 'runs'], body }, options),
      end: (world, run, options) => changeRun(world, run, 'end', options),
      list: (world, page, options) => list(runSchema, { path: ['worlds', world, 'runs'], query: { ...page } }, options),
      get: (world, run, options) => get(runSchema, { path: ['worlds', world, 'runs', run] }, options),
      apply: (world, run, body = {}, options = {}) =>
        get(runSchema, { method: 'POST', path: ['worlds', world, 'runs', run, 'apply'], body }, options),
      requestChanges: (world, run, body, options) =>
        get(runSchema, { method: 'POST', path: ['worlds', world, 'runs', run, 'request-changes'], body }, options),
      select: (world, run, body, options) =>
        get(runSchema, { method: 'POST', path: ['worlds', world, 'runs', run, 'select'], body }, options),
      restart: (world, run, body, options) =>
        get(startedRunSchema, { method: 'POST', path: ['worlds', world, 'runs', run, 'restart'], body }, options),
      discard: (world, run, options) => changeRun(world, run, 'discard', options),
    },
  };
}
