import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { Client } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import { createHttpTransport } from './http-transport.js';

async function serve(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`;
}

async function connect(url: string): Promise<void> {
  const client = new Client({ name: 'test', version: '1' });
  const definition = { name: 'far', transport: 'http' as const, url, headers: {}, trusted: false, enabled: true };
  const transport = createHttpTransport(definition);
  try {
    await client.connect(transport, { timeout: 1_000 });
  } finally {
    await transport.close();
  }
}

it.each(['application/json', 'text/event-stream'])(
  'an answer without end (%s) does not fill the memory',
  async (type) => {
    let sent = 0;
    const url = await serve((response) => {
      response.writeHead(200, { 'Content-Type': type });
      const more = (): void => {
        while (sent < 200 && response.write('x'.repeat(1024 * 1024))) sent += 1;
        if (sent < 200) response.once('drain', more);
      };
      more();
    });
    await expect(connect(url)).rejects.toThrow(/larger than 16 MB|timed out/);
    expect(sent).toBeLessThan(100);
  },
);

it('[A15] a redirect to elsewhere is not followed: the headers are not for others', async () => {
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
