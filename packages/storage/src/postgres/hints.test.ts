import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { createPostgresDatabase } from '../../../../tests/support/postgres-database.js';
import { listenForHints } from './hints.js';

/** A proxy to the database that forwards, refuses or drops traffic. */
async function openProxy(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const proxy = { state: 'open' as 'open' | 'refuses' | 'swallows', tries: 0, url: '', set };
  const server = createServer((near) => {
    proxy.tries += 1;
    if (proxy.state === 'refuses') return void near.destroy();
    const far = connect({ host: hostname, port: Number(port) });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.on('data', (data) => (proxy.state === 'swallows' ? undefined : to.write(data)));
    }
  });
  function set(state: typeof proxy.state): void {
    proxy.state = state;
    if (state === 'refuses') for (const socket of sockets) socket.destroy();
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(databaseUrl);
  url.port = String(typeof address === 'object' && address !== null ? address.port : 0);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return Object.assign(proxy, { url: url.href });
}

/** Long enough that a slow machine doesn't look like a lost connection. */
const PATIENT = { askMs: 3_600_000, answerMs: 60_000, connectMs: 60_000 };

async function scene({ askMs, answerMs, connectMs }: typeof PATIENT) {
  const databaseUrl = await createPostgresDatabase();
  const proxy = await openProxy(databaseUrl);
  const heard: string[] = [];
  let missed = 0;
  const end = await listenForHints(
    { connectionString: proxy.url, connectionTimeoutMillis: connectMs },
    'a channel',
    (hint) => heard.push(hint),
    () => (missed += 1),
    { askMs, answerMs },
  );
  onTestFinished(end);
  const tell = async (hint: string): Promise<void> => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query('select pg_notify($1, $2)', ['a channel', hint]);
    await client.end();
  };
  return { proxy, heard, tell, missed: () => missed };
}

it('[STORE7] reconnects at a constant rate while the database is down, and receives hints again afterwards', async () => {
  const { proxy, heard, tell, missed } = await scene(PATIENT);
  await tell('before');
  await expect.poll(() => heard).toEqual(['before']);
  const startedAt = performance.now();
  proxy.set('refuses');
  await expect.poll(() => proxy.tries, { interval: 10 }).toBeGreaterThan(4);
  // The first connection and four more, with half a second before each.
  expect(performance.now() - startedAt).toBeGreaterThan(1_900);
  proxy.set('open');
  await expect.poll(missed).toBe(1);
  await tell('after');
  await expect.poll(() => heard).toEqual(['before', 'after']);
});

it('[STORE7] detects a connection that was cut silently', async () => {
  const { proxy, heard, tell, missed } = await scene({ askMs: 300, answerMs: 1_000, connectMs: 2_000 });
  proxy.set('swallows');
  await expect.poll(() => proxy.tries).toBeGreaterThan(1);
  proxy.set('open');
  await expect.poll(missed).toBeGreaterThan(0);
  // Retries until the hint is received: on a busy machine, another timeout may drop it.
  const hears = async (): Promise<readonly string[]> => {
    await tell('after');
    return heard;
  };
  await expect.poll(hears).toContain('after');
});
