import { createClient } from '@countersign/client';
import type { ServerFarm } from './servers-fixture.js';

export interface Watch {
  /** Event ids in the order received, from any server. */
  readonly ids: readonly number[];
  /** How often it was cut and continued at another server. */
  readonly cuts: number;
  readonly failure: string | undefined;
  /** The latest connection messages. */
  readonly log: readonly string[];
  stop(): Promise<void>;
}

/**
 * Reads a world's events through the typed client while its connection is cut repeatedly and continues at another
 * server.
 */
export function watchWorld(farm: ServerFarm, worldId: string, after: number, cutEveryMs: number): Watch {
  const over = new AbortController();
  const ids: number[] = [];
  let cuts = 0;
  let failure: string | undefined;
  let servers = 0;
  let current: AbortController | undefined;
  over.signal.addEventListener('abort', () => current?.abort());
  const log: string[] = [];
  const anyServer: typeof fetch = (input, init) => {
    const alive = farm.servers.filter((server) => server !== undefined);
    servers += 1;
    const server = alive[servers % Math.max(1, alive.length)];
    if (server === undefined) return Promise.reject(new TypeError('fetch failed'));
    const asked = new URL(String(input instanceof Request ? input.url : input));
    cuts += 1;
    // Without `AbortSignal.any`: its signals may be garbage-collected before they fire, and nothing would end the
    // stream.
    const cut = new AbortController();
    current = cut;
    let timer: NodeJS.Timeout | undefined;
    init?.signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      cut.abort();
    });
    return fetch(`${server.url}${asked.pathname}${asked.search}`, { ...init, signal: cut.signal }).then((response) => {
      // Starts with the response: on a slow machine, the stream would otherwise be cut before any event arrives.
      timer = setTimeout(() => cut.abort(), Math.round(cutEveryMs * (0.5 + Math.random())));
      return response;
    });
  };
  const client = createClient({ url: 'http://127.0.0.1:1', token: farm.token, fetch: anyServer, random: () => 0 });
  async function read(): Promise<void> {
    for await (const item of client.events(worldId, { after, signal: over.signal })) {
      if (item.kind === 'connection') {
        log.push(JSON.stringify(item.connection));
        if (log.length > 10) log.shift();
      }
      if (item.kind === 'reset' || item.kind === 'malformed') failure ??= JSON.stringify(item);
      if (item.kind === 'connection' && item.connection.kind === 'closed') failure ??= item.connection.why;
      // Chunks and output are not in the log: they repeat the id of the last logged event.
      if (item.kind === 'event' && item.event.event !== 'sse' && item.event.event !== 'tool-output')
        ids.push(item.event.id);
    }
  }
  const reading = read();
  return {
    ids,
    log,
    get cuts() {
      return cuts;
    },
    get failure() {
      return failure;
    },
    async stop() {
      over.abort();
      await reading;
    },
  };
}
