import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LEAVING_HEADER } from '@countersign/protocol';
import { afterEach, expect, it } from 'vitest';
import { followServer, type Address } from './follow-server.js';
import { listenInChannels } from '../testing/channel-server.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Without a proof. */
const plainly = (): typeof fetch => fetch;

/** Responds with the request's path and token. */
async function listen(token: string): Promise<Address & { close(): Promise<void> }> {
  const server = createServer((request, response) => {
    response.setHeader('Connection', 'close');
    response.end(`${request.method} ${request.url} ${request.headers.authorization} ${token}`);
  });
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    startedBy: 'command',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}

it('[STORE4] follows the server of the home with its token, and looks it up once for concurrent requests', async () => {
  const first = await listen('one');
  const second = await listen('two');
  let looks = 0;
  const { fetch } = followServer(
    first,
    async () => {
      looks += 1;
      return second;
    },
    plainly,
  );
  const ask = async (): Promise<string> => {
    const response = await fetch(`${first.url}/api/x?y=1`, {
      method: 'POST',
      headers: { Authorization: 'Bearer one' },
    });
    return await response.text();
  };
  expect(await ask()).toBe('POST /api/x?y=1 Bearer one one');
  await first.close();
  expect(await Promise.all([ask(), ask()])).toEqual(Array(2).fill('POST /api/x?y=1 Bearer two two'));
  expect(looks).toBe(1);
});

it('[STORE4] uses the next server if one is shutting down, for any request, and if a read is interrupted', async () => {
  const second = await listen('two');
  let asked = 0;
  const going = createServer((request, response) => {
    asked += 1;
    if (request.url === '/api/broken') {
      request.socket.destroy();
      return;
    }
    response.setHeader('Connection', 'close');
    response.writeHead(503, { [LEAVING_HEADER]: 'true' });
    response.end('{}');
  });
  servers.push(going);
  await new Promise<void>((resolve) => {
    going.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(going.address() as AddressInfo).port}`;
  const follow = (): typeof fetch =>
    followServer({ url, token: 'one', startedBy: 'command' }, () => Promise.resolve(second), plainly).fetch;
  const posted = await follow()(`${url}/api/x`, { method: 'POST' });
  expect(await posted.text()).toBe('POST /api/x Bearer two two');
  expect(await (await follow()(`${url}/api/broken`)).text()).toBe('GET /api/broken Bearer two two');
  // A request that may have had an effect is not repeated.
  await expect(follow()(`${url}/api/broken`, { method: 'POST' })).rejects.toThrow('fetch failed');
  expect(asked).toBe(3);
  const nowhere = followServer(
    { url, token: 'one', startedBy: 'command' },
    () => Promise.reject(new Error('none')),
    plainly,
  );
  expect((await nowhere.fetch(`${url}/api/x`)).status).toBe(503);
});

it('[TERM6] uses the new token of a server that was restarted with another one', async () => {
  const tokens: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    tokens.push(request.headers.authorization);
    response.setHeader('Connection', 'close');
    response.writeHead(request.headers.authorization === 'Bearer new' ? 200 : 401);
    response.end();
  });
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const old: Address = { url, token: 'old', startedBy: 'serve' };
  const { fetch } = followServer(old, () => Promise.resolve({ ...old, token: 'new' }), plainly);
  expect((await fetch(`${url}/api/x`, { method: 'POST' })).status).toBe(200);
  expect((await fetch(`${url}/api/x`)).status).toBe(200);
  expect(tokens).toEqual(['Bearer old', 'Bearer new', 'Bearer new']);
  // A token that is simply wrong is reported.
  const wrong = followServer(old, () => Promise.resolve(old), plainly);
  expect((await wrong.fetch(`${url}/api/x`)).status).toBe(401);
  // A server that knows only the new token never gets the old one.
  tokens.length = 0;
  const proving = await listenInChannels('new', (request, response) => {
    tokens.push(request.headers.authorization);
    response.end();
  });
  servers.push(proving.server);
  const known = { ...old, url: proving.url };
  const following = followServer(known, () => Promise.resolve({ ...known, token: 'new' }));
  expect((await following.fetch(`${proving.url}/api/x`, { method: 'POST' })).status).toBe(200);
  expect(tokens).toEqual(['Bearer new']);
});

it('reports that the server is not responding if no other one is found', async () => {
  const first = await listen('one');
  await first.close();
  const { fetch } = followServer(first, () => Promise.reject(new Error('none')), plainly);
  await expect(fetch(`${first.url}/api/x`)).rejects.toThrow('fetch failed');
});
