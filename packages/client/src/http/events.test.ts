import { createFakeClock } from '@countersign/core/testing';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from './create-client.js';
import type { EventsOptions, StreamItem } from './events.js';

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A server that sends raw frames, controlled by the test. */
async function serve(...answers: Serve[]): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(request);
    answer?.(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  open.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const begin = (response: ServerResponse): void => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
};
const activity = (id: number, type = 'idle'): string =>
  `id: ${id}\nevent: world\ndata: ${JSON.stringify({ type, pendingOperations: 0 })}\n\n`;
const stay = (response: ServerResponse, text: string): void => {
  begin(response);
  response.write(text);
};
const problem = (response: ServerResponse, status: number, detail: string, headers = {}): void => {
  response.writeHead(status, { 'Content-Type': 'application/problem+json', ...headers });
  response.end(JSON.stringify({ type: 'about:blank', title: 'No', status, detail }));
};

/** Reads items and advances the clock during pauses. */
function listen(url: string, options: Pick<EventsOptions, 'after' | 'as'> = {}) {
  const clock = createFakeClock();
  const over = new AbortController();
  let looked = 0;
  const watched = {
    ...clock,
    now: () => {
      looked += 1;
      return clock.now();
    },
  };
  const client = createClient({ url, token: 't', clock: watched, random: () => 1 });
  const items: StreamItem[] = [];
  const stream = client.events('harbour', { ...options, signal: over.signal });
  const next = async (): Promise<StreamItem | undefined> => {
    const { value } = await stream.next();
    if (value !== undefined) items.push(value);
    return value ?? undefined;
  };
  const until = async (fits: (item: StreamItem) => boolean): Promise<StreamItem> => {
    for (;;) {
      const item = await next();
      if (item === undefined) throw new Error('the stream ended');
      if (fits(item)) return item;
    }
  };
  /** The pause starts when the next item is requested, so advance the clock after that. */
  const nextAfter = async (ms: number): Promise<StreamItem | undefined> => {
    const coming = next();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    clock.advance(ms);
    return await coming;
  };
  /** How often the clock was read: once per read from the network. */
  const looks = (): number => looked;
  return { clock, over, items, next, until, nextAfter, looks };
}

const isEvent = (id: number) => (item: StreamItem) => item.kind === 'event' && item.event.id === id;
const connections = (items: readonly StreamItem[]): string[] =>
  items.flatMap((item) => (item.kind === 'connection' ? [item.connection.kind] : []));

describe('an event stream', () => {
  it('[STORE6] resumes after a disconnect at any byte', async () => {
    const { url, requests } = await serve(
      (_, response) => {
        begin(response);
        response.write(`${activity(7)}${activity(8)}id: 9\nevent: wor`);
        setImmediate(() => response.destroy());
      },
      (_, response) => stay(response, activity(9)),
    );
    const t = listen(url, { after: 6 });
    await t.until((item) => item.kind === 'connection' && item.connection.kind === 'reconnecting');
    await t.nextAfter(250);
    await t.until(isEvent(9));
    expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual(['6', '8']);
    expect(t.items.flatMap((item) => (item.kind === 'event' ? [item.event.id] : []))).toEqual([7, 8, 9]);
    expect(connections(t.items)).toEqual(['connecting', 'open', 'reconnecting', 'open']);
    t.over.abort();
    expect(await t.next()).toEqual({ kind: 'connection', connection: { kind: 'closed' } });
    expect(await t.next()).toBeUndefined();
  });

  it('waits longer after each failure, up to a limit, and resets the delay after a success', async () => {
    const { url } = await serve((_, response) => response.destroy());
    const t = listen(url);
    const waits: number[] = [];
    await t.next();
    let item = await t.next();
    for (let n = 0; n < 9; n += 1) {
      if (item?.kind !== 'connection' || item.connection.kind !== 'reconnecting') throw new Error('not reconnecting');
      const wait = item.connection.retryAt - t.clock.now();
      waits.push(wait);
      item = await t.nextAfter(wait);
    }
    t.over.abort();
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
  });

  it('closes a connection after 45 seconds of silence; heartbeats reset the timer', async () => {
    let beat: () => void = () => undefined;
    const { url, requests } = await serve((_, response) => {
      stay(response, activity(1));
      beat = () => void response.write(': still here\n\n');
    });
    const t = listen(url);
    const startedAt = t.clock.now();
    await t.until(isEvent(1));
    const coming = t.next();
    t.clock.advance(44_000);
    const looks = t.looks();
    beat();
    await expect.poll(() => t.looks()).toBeGreaterThan(looks);
    t.clock.advance(44_000);
    t.clock.advance(2000);
    // Not at 45 s or 88 s, but 45 s after the heartbeat.
    expect(await coming).toMatchObject({ connection: { kind: 'reconnecting', retryAt: startedAt + 90_000 + 250 } });
    expect(requests).toHaveLength(1);
    t.over.abort();
  });

  it('closes with the server’s message if it is rejected', async () => {
    const { url, requests } = await serve((_, response) => problem(response, 401, 'Open a new start link.'));
    const t = listen(url);
    await t.next();
    expect(await t.next()).toEqual({
      kind: 'connection',
      connection: { kind: 'closed', why: 'Open a new start link.', status: 401 },
    });
    expect(await t.next()).toBeUndefined();
    expect(requests).toHaveLength(1);
  });

  it('closes once: a reader that stops when it is rejected still knows why', async () => {
    const { url } = await serve((_, response) => problem(response, 404, 'This world was deleted.'));
    const t = listen(url);
    await t.next();
    expect(await t.next()).toMatchObject({ connection: { kind: 'closed', status: 404 } });
    t.over.abort();
    expect(await t.next()).toBeUndefined();
  });

  it('[CALL13] registers the client before it opens, and retries only if the server is busy', async () => {
    const { url, requests } = await serve(
      (_, response) => problem(response, 503, 'The store is busy.'),
      (_, response) => {
        response.writeHead(201, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify({ clientId: 'client_1', clientSecret: 's1', tools: [] }));
      },
      (_, response) => stay(response, activity(1)),
    );
    const t = listen(url, { as: { label: 'web', approvals: true } });
    await t.until((item) => item.kind === 'connection' && item.connection.kind === 'reconnecting');
    await t.nextAfter(250);
    await t.until(isEvent(1));
    t.over.abort();
    expect(connections(t.items)).toEqual(['connecting', 'reconnecting', 'open']);
    expect(requests.map(({ method, url: asked }) => `${method} ${asked}`)).toEqual([
      'POST /api/worlds/harbour/clients',
      'POST /api/worlds/harbour/clients',
      'GET /api/worlds/harbour/events',
    ]);
    expect(requests[2]?.headers['x-countersign-client']).toBe('s1');
  });

  it('[CALL13] closes with a message if the client may not register', async () => {
    const { url, requests } = await serve((_, response) => problem(response, 422, 'label: too long'));
    const t = listen(url, { as: { label: 'web', approvals: true } });
    await t.next();
    expect(await t.next()).toMatchObject({ connection: { kind: 'closed', why: 'label: too long', status: 422 } });
    expect(requests).toHaveLength(1);
  });

  it('retries if the server is busy, not earlier than requested', async () => {
    const { url } = await serve(
      (_, response) => problem(response, 503, 'Shutting down.', { 'Retry-After': '20' }),
      (_, response) => stay(response, activity(1)),
    );
    const t = listen(url);
    await t.next();
    const item = await t.next();
    expect(item).toMatchObject({ connection: { kind: 'reconnecting', retryAt: t.clock.now() + 20_000 } });
    await t.nextAfter(20_000);
    await t.until(isEvent(1));
    t.over.abort();
  });

  it('[HTTP13] skips unknown events, reports unreadable ones, and continues', async () => {
    const { url } = await serve((_, response) =>
      stay(
        response,
        [
          'retry: 1000\nid: 3\n\n',
          'id: 4\nevent: weather\ndata: {"rain":true}\n\n',
          'id: 5\nevent: world\ndata: {not json}\n\n',
          'id: 6\nevent: tool\ndata: {"type":"TOOL_APPROVED"}\n\n',
          'id: 6\nevent: message\ndata: {"messageId":["a"]}\n\n',
          'event: world\ndata: {"type":"idle","pendingOperations":0}\n\n',
          'just noise\n\n',
          activity(7),
        ].join(''),
      ),
    );
    const t = listen(url);
    await t.until(isEvent(7));
    expect(t.items.slice(2).map(({ kind }) => kind)).toEqual([
      'malformed',
      'malformed',
      'malformed',
      'malformed',
      'event',
    ]);
    t.over.abort();
  });

  it('[STORE6.1] reports a reset', async () => {
    const { url } = await serve((_, response) => stay(response, `id: 9\nevent: reset\ndata: {}\n\n${activity(10)}`));
    const t = listen(url, { after: 900 });
    await t.until(isEvent(10));
    expect(t.items.map(({ kind }) => kind)).toEqual(['connection', 'connection', 'reset', 'event']);
    t.over.abort();
  });

  it('decodes characters split between chunks', async () => {
    const data = { type: 'notice', message: 'Grüße 🌊' };
    const bytes = Buffer.from(`id: 1\nevent: system\ndata: ${JSON.stringify(data)}\n\n`);
    const { url } = await serve((_, response) => {
      begin(response);
      const drip = (at: number): void => {
        if (at < bytes.length) response.write(bytes.subarray(at, at + 1), () => setImmediate(() => drip(at + 1)));
      };
      drip(0);
    });
    const t = listen(url);
    expect(await t.until(isEvent(1))).toMatchObject({ event: { data } });
    t.over.abort();
  });

  it('closes the connection when nobody is reading any more', async () => {
    let closed: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const { url } = await serve((_, response) => {
      response.on('close', closed);
      stay(response, activity(1));
    });
    for await (const item of createClient({ url }).events('harbour')) if (item.kind === 'event') break;
    await expect(gone).resolves.toBeUndefined();
  });

  it('ends when aborted, even if the network doesn’t respond', async () => {
    const deaf: typeof fetch = () => {
      const bytes = new TextEncoder().encode(activity(1));
      return Promise.resolve(new Response(new ReadableStream({ start: (controller) => controller.enqueue(bytes) })));
    };
    const over = new AbortController();
    const client = createClient({ url: 'http://127.0.0.1:1', token: 't', fetch: deaf });
    const kinds: string[] = [];
    for await (const item of client.events('harbour', { signal: over.signal })) {
      kinds.push(item.kind === 'connection' ? item.connection.kind : item.kind);
      // Later, when it is already waiting for the next item.
      if (item.kind === 'event') setTimeout(() => over.abort(), 1);
    }
    expect(kinds).toEqual(['connecting', 'open', 'event', 'closed']);
  });

  it('reconnects immediately when woken', async () => {
    const { url } = await serve(
      (_, response) => response.destroy(),
      (_, response) => stay(response, activity(1)),
    );
    let wake: () => void = () => undefined;
    const over = new AbortController();
    const stream = createClient({ url, clock: createFakeClock() }).events('harbour', {
      signal: over.signal,
      wakes: (act) => {
        wake = act;
        return () => undefined;
      },
    });
    await stream.next();
    await stream.next();
    const coming = stream.next();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    wake();
    expect((await coming).value).toEqual({ kind: 'connection', connection: { kind: 'open' } });
    over.abort();
  });
});
