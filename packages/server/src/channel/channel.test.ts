import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect, createServer as listenRaw, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { hashSecret } from '../auth/secrets.js';
import { acceptChannels, channelFetch } from './channel.js';

const TOKEN = 'a-token-of-the-server-with-enough-characters';
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Our server with this token, and the bodies that it received. */
async function ours(token: string, answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  acceptChannels(server, { hashOf: (id) => Promise.resolve(id === 'server' ? hashSecret(token) : undefined) });
  closing.push(() => server.closeAllConnections());
  return await listen(server);
}

const echo: RequestListener = (request, response) => {
  let body = '';
  request.on('data', (part: Buffer) => (body += String(part)));
  request.on('end', () => {
    response.setHeader('set-cookie', ['a=1', 'b=2']);
    response.end(`${request.method} ${request.url} ${request.headers.authorization} ${body}`);
  });
};

/** Longer than everything else in a conversation. */
const LONG = 'x'.repeat(5000);

const ask = async (port: number, init: RequestInit = {}): Promise<Response> =>
  await channelFetch(TOKEN)(`http://localhost:${port}/api/x?y=1`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}` },
    body: 'the call',
    ...init,
  });

/** Forwards everything to our server. Can change one byte on the way. */
async function relay(
  to: number,
  change?: { way: 'up' | 'down'; at: number },
): Promise<{ port: number; seen: () => string }> {
  const all: Buffer[] = [];
  const server = listenRaw((client) => {
    const upstream = connect(to, '127.0.0.1');
    const pass = (from: Socket, on: Socket, way: 'up' | 'down'): void => {
      let sent = 0;
      from.on('error', () => on.destroy()).on('close', () => on.destroy());
      from.on('data', (part: Buffer) => {
        all.push(Buffer.from(part));
        const at = change?.way === way ? change.at - sent : -1;
        sent += part.length;
        if (at >= 0 && at < part.length) part[at] = (part[at] ?? 0) ^ 1;
        on.write(part);
      });
    };
    pass(client, upstream, 'up');
    pass(upstream, client, 'down');
  });
  return { port: await listen(server), seen: () => Buffer.concat(all).toString('latin1') };
}

describe('[WHO3] a channel', () => {
  it('carries requests and answers, and hides both and the token from a relay', async () => {
    const port = await ours(TOKEN, echo);
    const between = await relay(port);
    const response = await ask(between.port);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(await response.text()).toBe(`POST /api/x?y=1 Bearer ${TOKEN} the call`);
    expect(between.seen()).toContain('CONNECT countersign');
    expect(between.seen()).not.toContain(TOKEN);
    expect(between.seen()).not.toContain('the call');
  });

  it.each([
    ['with another token', 'unproven', async () => await ours('another-token-that-the-client-does-not-have', echo)],
    [
      'that answers everything with 200',
      'unproven',
      async () =>
        await listen(
          listenRaw(
            (socket) => void socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\n{"state":"allowed"}')),
          ),
        ),
    ],
    // It closes the connection, as a server that is being restarted does.
    ['of plain HTTP', 'closed', async () => await listen(createServer(echo))],
  ])('sends neither the token nor the call to a server %s', async (_, kind, start) => {
    const between = await relay(await start());
    await expect(ask(between.port)).rejects.toMatchObject({
      cause: { kind },
    });
    expect(between.seen()).not.toContain(TOKEN);
    expect(between.seen()).not.toContain('the call');
  });

  it.each([
    ['up', 'handshake', 200],
    ['up', 'request', 3000],
    ['down', 'greeting', 10],
    ['down', 'handshake', 100],
    ['down', 'answer', 3000],
  ] as const)('breaks if a relay changes one byte on the way %s, in the %s', async (way, part, at) => {
    const received: unknown[] = [];
    const port = await ours(TOKEN, (request, response) => {
      request.resume().on('end', () => {
        received.push(request.url);
        response.end(LONG);
      });
    });
    const unchanged = await relay(port);
    expect(await (await ask(unchanged.port, { body: LONG })).text()).toBe(LONG);
    const changing = await relay(port, { way, at });
    await expect(ask(changing.port, { body: LONG }).then((response) => response.text())).rejects.toBeInstanceOf(Error);
    expect(received).toHaveLength(part === 'answer' ? 2 : 1);
  });

  it('streams an answer, and ends with its signal', async () => {
    const port = await ours(TOKEN, (_request, response) => void response.write('first'));
    const stop = new AbortController();
    const response = await ask(port, { signal: stop.signal });
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first');
    stop.abort();
    await expect(reader?.read()).rejects.toBeInstanceOf(Error);
  });
});
