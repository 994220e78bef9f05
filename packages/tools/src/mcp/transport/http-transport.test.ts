import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { Client } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import { createHttpTransport } from './http-transport.js';

async function serve(answer: (response: ServerResponse) => void, host = '127.0.0.1'): Promise<string> {
  const server = createServer((_, response) => answer(response)).listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://${host}:${typeof address === 'object' ? address?.port : ''}/mcp`;
}

/** Longer than any machine needs; expected failures happen earlier. */
const LIMIT_MS = 100_000;

async function connect(url: string): Promise<void> {
  const client = new Client({ name: 'test', version: '1' });
  // A failed stream is reported only here; the pending request keeps waiting.
  const failed = new Promise<never>((_, reject) => {
    Object.assign(client, { onerror: reject });
  });
  const definition = { name: 'far', transport: 'http' as const, url, headers: {}, trusted: false, enabled: true };
  const transport = createHttpTransport(definition);
  try {
    await Promise.race([client.connect(transport, { timeout: LIMIT_MS }), failed]);
  } finally {
    await transport.close();
  }
}

it.each(['application/json', 'text/event-stream'])('an endless answer (%s) does not fill memory', async (type) => {
  let sent = 0;
  const url = await serve((response) => {
    response.writeHead(200, { 'Content-Type': type });
    const more = (): void => {
      while (sent < 200 && response.write('x'.repeat(1024 * 1024))) sent += 1;
      if (sent < 200) response.once('drain', more);
    };
    more();
  });
  await expect(connect(url)).rejects.toThrow('larger than 16 MB');
  expect(sent).toBeLessThan(100);
});

it('reads an answer even if an HTTP server replaced the global Response with one whose json is read-only', async () => {
  const original = globalThis.Response;
  class Replaced extends original {}
  Object.defineProperty(Replaced.prototype, 'json', { value: () => Promise.reject(new Error('not ours')) });
  globalThis.Response = Replaced;
  onTestFinished(() => {
    globalThis.Response = original;
  });
  const url = await serve((response) => {
    const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'far', version: '1' } };
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 0, result }));
  });
  await expect(connect(url)).resolves.toBeUndefined();
});

it('[SAFE6] does not follow a redirect to another origin, which would receive the headers', async () => {
  let reached = false;
  const elsewhere = await serve((response) => {
    reached = true;
    response.end('{}');
  });
  const url = await serve((response) => {
    response.writeHead(307, { Location: elsewhere });
    response.end();
  });
  await expect(connect(url)).rejects.toThrow(/redirect/i);
  expect(reached).toBe(false);
});

it('[MCP3.5] [SAFE2.1] connects to the address that was checked, not to what the name resolves to a moment later', async () => {
  let asked = '';
  const url = await serve((response) => {
    asked = response.socket?.localAddress ?? '';
    response.writeHead(202).end();
  }, '127.0.0.2');
  // For the system, the name leads to 127.0.0.1.
  const named = url.replace('127.0.0.2', 'localhost');
  const definition = {
    name: 'far',
    transport: 'http' as const,
    url: named,
    headers: {},
    trusted: false,
    enabled: true,
  };
  const send = async (more: { publicOnly?: true }) => {
    const resolve = () => Promise.resolve([{ address: '127.0.0.2', family: 4 }]);
    const transport = createHttpTransport({ ...definition, ...more }, undefined, resolve);
    onTestFinished(() => transport.close());
    await transport.start();
    await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled' });
  };
  await send({});
  expect(asked).toBe('127.0.0.2');
  await expect(send({ publicOnly: true })).rejects.toThrow('private address');
});
