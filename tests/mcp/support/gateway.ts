import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { createAuth, createApp } from '@countersign/server';
import { getRequestListener } from '@hono/node-server';
import { onTestFinished } from 'vitest';
import type { Lab } from './lab.js';

const TOKEN = 'a-token-that-only-this-test-knows-0123456789';

/** The HTTP server of a lab. Returns its origin and token. */
export async function serveLab({ engine }: Lab): Promise<{ url: string; token: string }> {
  const server = createServer();
  const port = await listen(server);
  const { store, clock } = engine.runtime;
  const report = (error: unknown): never => {
    throw error;
  };
  const tokenHolder = { kind: 'person', id: 'me', name: 'me' } as const;
  const auth = createAuth({
    token: TOKEN,
    tokenHolder,
    store,
    clock,
    report,
    port: () => port,
    host: '127.0.0.1',
    allowHosts: [],
  });
  const quiet = (): void => undefined;
  const app = createApp({ engine, auth, version: '0', log: { info: quiet, warn: quiet, error: quiet } });
  const answer = getRequestListener(app.fetch);
  server.on('request', (request, response) => void answer(request, response));
  return { url: `http://127.0.0.1:${port}`, token: TOKEN };
}

/**
 * Stands between the suite and the gateway: the suite can't send a token, and knows the tools by the names of their server.
 */
export async function relayTo(gateway: string, token: string, prefix: string): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    incoming.on('end', () => {
      const { host: _h, 'content-length': _l, ...headers } = incoming.headers;
      const { method = 'GET' } = incoming;
      const forwarded = httpRequest(
        gateway,
        { method, headers: { ...headers, authorization: `Bearer ${token}` } },
        (answer) => {
          const { 'content-length': _, ...answered } = answer.headers;
          outgoing.writeHead(answer.statusCode ?? 500, answered);
          let rest = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => {
            const lines = (rest + chunk).split('\n');
            rest = lines.pop() ?? '';
            for (const line of lines) outgoing.write(`${line.replaceAll(`"${prefix}`, '"')}\n`);
          });
          answer.on('end', () => outgoing.end(rest.replaceAll(`"${prefix}`, '"')));
        },
      );
      forwarded.on('error', () => outgoing.destroy());
      outgoing.on('close', () => forwarded.destroy());
      forwarded.end(body.replaceAll(/"name":"(test_|json_)/g, `"name":"${prefix}$1`));
    });
  });
  return `http://127.0.0.1:${await listen(server)}/mcp`;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  return address.port;
}
