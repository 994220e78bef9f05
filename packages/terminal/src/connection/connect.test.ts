import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { connect } from './connect.js';
import { mayUseHttp, serverUrl } from './server-url.js';
import { describeFailure } from '../describe-failure.js';
import type { FoundServer, OwnServer, ServerAccess } from './server-access.js';

import { listenInChannels } from '../testing/channel-server.js';

const HOME = '/nowhere/home';
const listening: Server[] = [];
afterEach(() => {
  for (const server of listening.splice(0)) server.close();
});

/** A server that only reports its health, with its name as the version. */
async function listen(name: string): Promise<{ url: string; close(): Promise<void> }> {
  const { server, url } = await listenInChannels('a-token', (_request, response) => {
    response.setHeader('Connection', 'close');
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ status: 'ok', version: name }));
  });
  listening.push(server);
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}

/** A home with this server, and the servers that commands start on it. */
function homeWith(first: FoundServer) {
  const home = { running: first as FoundServer | undefined, starts: 0, looks: 0 };
  const servers = {
    readToken: () => Promise.resolve('a-token'),
    find: () => {
      home.looks += 1;
      return Promise.resolve(home.running);
    },
    start: async (): Promise<OwnServer> => {
      home.starts += 1;
      const { url } = await listen('own');
      return {
        url,
        token: 'a-token',
        isWorking: () => false,
        settled: () => Promise.resolve(),
        stalledChats: () => Promise.resolve([]),
        close: () => Promise.resolve(),
      };
    },
  };
  return { home, servers: servers as unknown as ServerAccess };
}

it('[TERM6.1] waits for the next `countersign serve` after one stopped, and does not take over its home', async () => {
  const first = await listen('first');
  const { home, servers } = homeWith({ url: first.url, startedBy: 'serve' });
  const { client, isServed } = await connect(servers, { home: HOME }, () => undefined);
  expect(await client.health()).toMatchObject({ version: 'first' });
  home.running = undefined;
  await first.close();
  const asked = client.health();
  const before = home.looks;
  await expect.poll(() => home.looks).toBeGreaterThan(before + 2);
  expect(await isServed()).toBe(false);
  const { url } = await listen('second');
  home.running = { url, startedBy: 'serve' };
  expect(await asked).toMatchObject({ version: 'second' });
  expect(home.starts).toBe(0);
});

it('[TERM6] starts its own server when the command that started the first one ends', async () => {
  const first = await listen('first');
  const { home, servers } = homeWith({ url: first.url, startedBy: 'command' });
  const { client } = await connect(servers, { home: HOME }, () => undefined);
  expect(await client.health()).toMatchObject({ version: 'first' });
  home.running = undefined;
  await first.close();
  expect(await client.health()).toMatchObject({ version: 'own' });
  expect(home.starts).toBe(1);
});

it('[TERM4.3] sends no token to a server that does not prove that it knows it', async () => {
  const received: string[] = [];
  const impostor = createServer((request, response) => {
    received.push(String(request.headers.authorization));
    response.end('{"status":"ok","version":"impostor"}');
  });
  listening.push(impostor);
  await new Promise<void>((resolve) => {
    impostor.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(impostor.address() as AddressInfo).port}`;
  const { servers } = homeWith({ url, startedBy: 'serve' });
  const given = { url, token: 'a-token' };
  const failure = await connect(servers, given, () => undefined).catch((error: unknown) => describeFailure(error));
  expect(failure).toMatchObject({ message: expect.stringContaining(`${url} did not prove`) as string });
  const { client } = await connect(servers, { home: HOME }, () => undefined);
  await expect(client.worlds()).rejects.toMatchObject({ kind: 'network' });
  expect(received).toEqual([]);
});

it('[TERM4.3] refuses plain HTTP to another machine unless it is allowed', async () => {
  const { servers } = homeWith({ url: 'http://127.0.0.1:9', startedBy: 'serve' });
  const given = { url: 'http://192.0.2.1:4747', token: 'a-token' };
  await expect(connect(servers, given, () => undefined)).rejects.toThrow('--allow-http');
  expect(serverUrl(given.url, true)).toBe(given.url);
  expect([mayUseHttp({ allowHttp: true }, {}), mayUseHttp({}, { COUNTERSIGN_ALLOW_HTTP: '1' })]).toEqual([true, true]);
  expect(mayUseHttp({}, { COUNTERSIGN_ALLOW_HTTP: '' })).toBe(false);
});
