import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { patientFetch } from './patient-fetch.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The start of a response, with a short timeout that grows if this machine is slow. */
async function soonEnough(url: string, ms = 50): Promise<Response> {
  return await patientFetch(ms)(url).catch(() => soonEnough(url, ms * 2));
}

describe('patientFetch', () => {
  it('works like fetch', async () => {
    const url = await serve((request, response) => {
      response.writeHead(201, { 'x-two': ['a', 'b'], 'x-method': request.method });
      response.write(`${request.headers['content-type']} `);
      request.pipe(response);
    });
    const response = await patientFetch()(url, {
      method: 'POST',
      headers: { 'content-type': 'text/x' },
      body: 'ü'.repeat(100_000),
    });
    expect([response.status, response.headers.get('x-two'), response.headers.get('x-method')]).toEqual([
      201,
      'a, b',
      'POST',
    ]);
    expect(await response.text()).toBe(`text/x ${'ü'.repeat(100_000)}`);
  });

  it('[MODEL4] times out on silence, before and during a response', async () => {
    const silent = await serve(() => undefined);
    await expect(patientFetch(50)(silent)).rejects.toThrow('timed out after 0.05 seconds without data');
    const halting = await serve((_, response) => void response.write('begun'));
    const response = await soonEnough(halting);
    await expect(response.text()).rejects.toThrow(/timed out|aborted|terminated/);
  });

  it('rejects redirects, which would leak the key', async () => {
    let visited = false;
    const other = await serve((_, response) => {
      visited = true;
      response.end();
    });
    const url = await serve((_, response) => void response.writeHead(307, { location: other }).end());
    await expect(patientFetch()(url, { headers: { authorization: 'x' } })).rejects.toThrow(
      'the server redirects (307)',
    );
    expect(visited).toBe(false);
  });

  it('[WORLD9] can be aborted, even during a response', async () => {
    const stop = new AbortController();
    const url = await serve((_, response) => void response.write('begun'));
    const response = await patientFetch()(url, { signal: stop.signal });
    const reading = response.text();
    stop.abort();
    await expect(reading).rejects.toThrow(/abort/i);
    await expect(patientFetch()(url, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });

  it('has no body for a 204', async () => {
    const url = await serve((_, response) => void response.writeHead(204).end());
    expect((await patientFetch()(url)).body).toBeNull();
  });
});
