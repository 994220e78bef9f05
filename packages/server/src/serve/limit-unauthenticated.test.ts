import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { serve, type Serving } from './serve.js';

const TOKEN = 'a-token-that-only-this-test-knows-0123456789';
const HOUR = 3_600_000;

async function start(unauthenticated: { headersMs: number; most: number }): Promise<Serving> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-unauthenticated-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const serving = await serve({
    home: join(folder, 'home'),
    env: { COUNTERSIGN_TOKEN: TOKEN },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    port: 0,
    sandbox: { kind: 'none', reason: 'no command runs here' },
    ollamaUrl: 'http://127.0.0.1:9',
    version: 'test',
    unauthenticated,
  });
  onTestFinished(() => serving.close());
  return serving;
}

async function openSilent({ url }: Serving): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  // Reads the data, so that the socket reports its end.
  socket.resume();
  return socket;
}

async function ask({ url }: Serving, agent: Agent): Promise<IncomingMessage> {
  const request = get(`${url}/api/worlds`, { agent, headers: { authorization: `Bearer ${TOKEN}` } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response;
}

it('[HTTP16] silent connections over the cap evict the oldest silent ones, never an authenticated one', async () => {
  const serving = await start({ headersMs: HOUR, most: 20 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  expect((await ask(serving, agent)).statusCode).toBe(200);
  const stream = get(`${serving.url}/api/worlds/harbour/events`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const [events] = (await once(stream, 'response')) as [IncomingMessage];
  onTestFinished(() => void events.destroy());
  let streamEnded = false;
  events.resume().once('close', () => (streamEnded = true));

  const silent: Socket[] = [];
  for (let count = 0; count < 60; count += 1) silent.push(await openSilent(serving));
  await Promise.all(silent.slice(0, 40).map(async (socket) => socket.closed || (await once(socket, 'close'))));
  // A client with a credential is still accepted, and the authenticated connection is still open.
  expect((await ask(serving, new Agent())).statusCode).toBe(200);
  expect(silent.slice(41).every((socket) => !socket.closed)).toBe(true);
  expect(streamEnded).toBe(false);
});

it('[HTTP16] a connection that sends no request is closed', async () => {
  const serving = await start({ headersMs: 50, most: 20 });
  const silent = await openSilent(serving);
  const halting = await openSilent(serving);
  halting.write('GET /api/health HTTP/1.1\r\nHo');
  await Promise.all([once(silent, 'close'), once(halting, 'close')]);
  expect([silent.destroyed, halting.destroyed]).toEqual([true, true]);
});
