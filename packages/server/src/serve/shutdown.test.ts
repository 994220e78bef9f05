import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { LEAVING_HEADER } from '@countersign/protocol';
import { expect, it, onTestFinished } from 'vitest';
import { serve, type ServeOptions, type Serving } from './serve.js';

const TOKEN = 'a-token-that-only-this-test-knows-0123456789';

/** A server, and a client with keep-alive connections to it. */
async function open(command?: string): Promise<{
  serving: Serving;
  ask: () => Promise<string>;
  said: readonly string[];
  serveAgain: () => Promise<Serving>;
}> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-leaving-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const said: string[] = [];
  const options: ServeOptions = {
    home: join(folder, 'home'),
    ...(command === undefined ? {} : { command }),
    env: { COUNTERSIGN_TOKEN: TOKEN },
    log: { info: () => undefined, warn: () => undefined, error: (what) => void said.push(what) },
    port: 0,
    sandbox: { kind: 'none', reason: 'no command runs here' },
    ollamaUrl: 'http://127.0.0.1:9',
    version: 'test',
  };
  const serving = await serve({ ...options, env: { ...options.env } });
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  onTestFinished(() => agent.destroy());
  const ask = (): Promise<string> =>
    new Promise((resolve) => {
      const request = get(`${serving.url}/api/worlds`, { agent, headers: { authorization: `Bearer ${TOKEN}` } });
      request.on('error', () => resolve('nobody'));
      request.on('response', (response) => {
        response.resume();
        response.on('error', () => resolve('nobody'));
        const isLeaving = response.headers[LEAVING_HEADER.toLowerCase()] !== undefined;
        response.on('end', () => resolve(isLeaving ? 'leaving' : String(response.statusCode)));
      });
    });
  return { serving, ask, said, serveAgain: () => serve({ ...options, env: { ...options.env } }) };
}

it('[STORE4] a second server reports which command uses the home, with its PID, and what to do', async () => {
  const chat = await open('countersign chat');
  onTestFinished(() => chat.serving.close());
  const { url } = chat.serving;
  await expect(chat.serveAgain()).rejects.toMatchObject({
    code: 'store-locked',
    message: `"countersign chat" (pid ${process.pid}) is serving this home folder at ${url}. Quit it and try again, or choose another home with --home.`,
  });
});

it('[STORE4] answers accepted requests before it closes, and rejects later ones as not processed', async () => {
  const { serving, ask, said } = await open();
  expect(await ask()).toBe('200');
  // More requests than connections, so some are in flight while the server shuts down.
  const answers = Array.from({ length: 40 }, ask);
  await answers[0];
  await serving.close();
  const seen = new Set(await Promise.all(answers));
  expect([...seen].filter((answer) => !['200', 'leaving', 'nobody'].includes(answer))).toEqual([]);
  expect(said).toEqual([]);
});

it('[STORE4] rejects requests in flight even if the event loop was blocked longer than the grace period', async () => {
  const { serving, ask } = await open();
  expect(await ask()).toBe('200');
  const closing = serving.close();
  const answer = ask();
  // Sent, but the grace period ends before the server reads it.
  await new Promise<void>((resolve) => {
    setImmediate(() => {
      const buffer = new Int32Array(new SharedArrayBuffer(4));
      Atomics.wait(buffer, 0, 0, 700);
      resolve();
    });
  });
  expect(await answer).toBe('leaving');
  await closing;
});

it('[STORE4] reads the whole request before rejecting it: a client that is cut off never sees the response', async () => {
  const { serving, ask } = await open();
  expect(await Promise.all([ask(), ask()])).toEqual(['200', '200']);
  const words = 'x'.repeat(60_000);
  const socket = connect(Number(new URL(serving.url).port), '127.0.0.1');
  await once(socket, 'connect');
  const closing = serving.close();
  const write = (part: string): Promise<void> =>
    new Promise((resolve, reject) => socket.write(part, (error) => (error ? reject(error) : resolve())));
  const head = ['POST /api/worlds HTTP/1.1', 'host: 127.0.0.1', `content-length: ${3 * words.length}`, '', words];
  const sent = write(head.join('\r\n'));
  // This request was sent later, so once it is answered, the server has seen the other one too.
  expect(await ask()).toBe('leaving');
  await sent;
  await write(words);
  await write(words);
  expect(await text(socket)).toContain(LEAVING_HEADER);
  await closing;
});
