import { once } from 'node:events';
import { createServer } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { guardedFetch, secureUrl } from './guarded-fetch.js';

it.each([
  ['http://auth.example/token', 'auth.example does not use HTTPS'],
  ['http://10.0.0.7/token', '10.0.0.7 does not use HTTPS'],
  ['http://localhost.evil.example/', 'does not use HTTPS'],
  ['http://127.0.0.1.evil.example/', 'does not use HTTPS'],
  ['file:///etc/passwd', 'does not use HTTPS'],
  ['javascript:alert(1)', 'does not use HTTPS'],
  ['https://me:secret@auth.example/', 'contains credentials'],
  ['nonsense', 'invalid URL'],
])('[MCP4.4] a sign-in URL %s is refused', (url, words) => {
  expect(() => secureUrl(url)).toThrow(words);
});

it.each(['https://auth.example/token', 'http://127.0.0.1:9/', 'http://[::1]:9/', 'http://localhost:9/'])(
  '[MCP4.4] a sign-in URL %s is accepted',
  (url) => {
    expect(secureUrl(url).href).toBe(url);
  },
);

const HOSTS: Readonly<Record<string, string>> = {
  'mcp.example': '93.184.216.34',
  'auth.example': '93.184.216.35',
  'inside.example': '10.0.0.7',
  'meta.example': '169.254.169.254',
  'rebound.example': '127.0.0.1',
};
const resolve = async (host: string) => Promise.resolve([{ address: HOSTS[host] ?? '', family: 4 }]);

it.each([
  ['https://mcp.example/mcp', 'https://inside.example/token'],
  ['https://mcp.example/mcp', 'https://meta.example/latest'],
  ['https://mcp.example/mcp', 'https://rebound.example/'],
  ['https://mcp.example/mcp', 'http://127.0.0.1:9/'],
  ['https://mcp.example/mcp', 'https://[::1]/'],
  ['https://inside.example/mcp', 'http://localhost:9/'],
  ['https://inside.example/mcp', 'https://rebound.example/'],
])('[MCP4.4] a server at %s can’t make us send a request to %s', async (server, url) => {
  await expect(
    guardedFetch(server, {}, async (host) => await resolve(host.replace('localhost', 'rebound.example')))(url),
  ).rejects.toThrow('is on a private network, but the MCP server is not');
});

it('[MCP4.4] an unknown host is an error of the request, and leaves no unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const guarded = guardedFetch('https://gone.example/mcp', {}, async () => Promise.resolve([]));
  await expect(guarded('https://gone.example/mcp')).rejects.toThrow('gone.example could not be resolved');
  // Node reports unhandled rejections before the next turn of the event loop.
  await setImmediate();
  expect(unhandled).toEqual([]);
});

it.each(['http://127.0.0.1:9/', 'http://localhost:9/', 'https://inside.example/token'])(
  '[MCP4.4] a server whose name also has a private address can’t make us send a request to %s',
  async (url) => {
    const both = ['93.184.216.34', '127.0.0.1'].map((address) => ({ address, family: 4 }));
    const guarded = guardedFetch('https://mcp.example/mcp', {}, async (host) =>
      host === 'mcp.example' ? both : await resolve(host.replace('localhost', 'rebound.example')),
    );
    await expect(guarded(url)).rejects.toThrow('is on a private network, but the MCP server is not');
  },
);

it('[MCP4.4] a server whose name was moved to this machine can’t make us send a request to it in plain text', async () => {
  const guarded = guardedFetch('https://rebound.example/mcp', {}, resolve);
  await expect(guarded('http://127.0.0.1:9/')).rejects.toThrow('is on a private network, but the MCP server is not');
});

it('[MCP4.4] a redirect is not followed, and the response is limited', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url === '/long') response.writeHead(200).end('x'.repeat(2 * 1024 * 1024));
    else response.writeHead(302, { location: '/elsewhere' }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const guarded = guardedFetch(`${origin}/mcp`);
  expect((await guarded(`${origin}/start`)).status).toBe(302);
  await expect(guarded(`${origin}/long`)).rejects.toThrow('larger than 1 MB');
  expect(asked).toEqual(['/start', '/long']);
});
