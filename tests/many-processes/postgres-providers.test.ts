import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addAgent, createWorld } from '@countersign/core';
import { serve, type Serving } from '@countersign/server';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createMigratedDatabase } from '../support/postgres-database.js';

const KEY = 'sk-Ab3dEf6hIj9kLmN0pQrStUvWx2z4';
const ME = { who: { kind: 'person', id: 'tester', name: 'tester' }, via: 'test' } as const;
let folder = '';
let url = '';
let servers: Serving[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-providers-'));
  url = await createMigratedDatabase();
});
afterEach(async () => {
  for (const server of servers) await server.close();
  servers = [];
  await rm(folder, { recursive: true, force: true });
});

async function start(name: string, env: NodeJS.ProcessEnv = {}): Promise<Serving> {
  const quiet = (): void => undefined;
  const server = await serve({
    home: join(folder, name),
    env: { DATABASE_URL: url, ...env },
    log: { info: quiet, warn: quiet, error: quiet },
    port: 0,
    sandbox: { kind: 'none', reason: 'no command runs here' },
    ollamaUrl: 'http://127.0.0.1:9',
    version: 'test',
  });
  servers.push(server);
  return server;
}

it('[MODEL7.1] [MODEL8.2] servers that share a secrets key see each other’s providers without a restart', async () => {
  const env = { COUNTERSIGN_SECRETS_KEY: 'one passphrase for all the servers, please' };
  const [a, b] = [(await start('a', env)).home, (await start('b', env)).home];
  await createWorld(a.engine.runtime, { name: 'Garden' }, ME);
  await a.providers.add(a.engine.runtime, { kind: 'openai', name: 'Work', apiKey: KEY }, ME);
  // The other process has not loaded it yet: it reads the store when an agent names the provider.
  await addAgent(b.engine.runtime, 'garden', { name: 'Ann', provider: 'work', model: 'm' }, ME);
  expect(b.engine.runtime.ownSecrets()).toContain(KEY);
  await a.providers.change(a.engine.runtime, 'work', { apiKey: `${KEY}2` }, ME);
  await expect.poll(() => b.engine.runtime.ownSecrets(), { timeout: 30_000 }).toContain(`${KEY}2`);
  await b.providers.remove(b.engine.runtime, 'work', true, ME);
  await expect.poll(() => a.engine.runtime.providers.get('work'), { timeout: 30_000 }).toBeUndefined();
});

it('[MODEL8.5] a server with another secrets key says so, and keeps running', async () => {
  const [a, b] = [(await start('a')).home, (await start('b')).home];
  await a.providers.add(a.engine.runtime, { kind: 'openai', name: 'Work', apiKey: KEY }, ME);
  const theirs = (await b.providers.list()).find(({ id }) => id === 'work');
  expect(theirs).toMatchObject({
    available: false,
    problem: expect.stringContaining('COUNTERSIGN_SECRETS_KEY') as string,
  });
  expect((await a.providers.list()).find(({ id }) => id === 'work')).toMatchObject({ available: true });
});

it('[MODEL7.3] two concurrent changes to the same name: the second one is refused at the field', async () => {
  const { home } = await start('a');
  const { runtime } = home.engine;
  for (const name of ['One', 'Two']) await home.providers.add(runtime, { kind: 'ollama', name }, ME);
  const other = new pg.Client(url);
  await other.connect();
  try {
    await other.query(`begin; update providers set name = 'Box', name_key = 'box' where id = 'one'`);
    const renamed = home.providers.change(runtime, 'two', { name: 'BOX' }, ME).catch((error: unknown) => error);
    const waiting = 'select count(*)::int as n from pg_locks where not granted';
    await expect
      .poll(async () => (await other.query<{ n: number }>(waiting)).rows[0]?.n, { timeout: 30_000 })
      .toBeGreaterThan(0);
    await other.query('commit');
    const error = await renamed;
    expect(error).toMatchObject({ code: 'conflict', field: 'name' });
    expect(String(error)).not.toMatch(/duplicate|constraint|23505/);
  } finally {
    await other.end();
  }
});

it('[WHO2] [WHO1.7] of several processes that open one device link, one gets a code, and none after its session ended', async () => {
  const [a, b] = [await start('a'), await start('b')];
  const post = async (at: Serving, path: string, body: object, session: Record<string, string> = {}) => {
    const headers = { 'Content-Type': 'application/json', ...session };
    return await fetch(`${at.url}/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  const opened = await post(a, '/session', { ticket: a.newStartUrl().split('=')[1] });
  const { session } = (await opened.json()) as { session: string };
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  const laptop = { cookie, 'X-Countersign-Session': session };
  const ticket = async (): Promise<string> =>
    ((await (await post(a, '/me/devices/link', {}, laptop)).json()) as { open: string }).open.split('=')[1] ?? '';
  const first = await ticket();
  const tries = [a, b, a, b, a, b].map(async (at) => (await post(at, '/session', { ticket: first })).status);
  expect((await Promise.all(tries)).toSorted((one, other) => one - other)).toEqual([202, 401, 401, 401, 401, 401]);
  const second = await ticket();
  const id = cookie.split('=')[1]?.split('.')[0] ?? '';
  expect((await fetch(`${a.url}/api/me/sessions/${id}`, { method: 'DELETE', headers: laptop })).status).toBe(204);
  expect((await post(b, '/session', { ticket: second })).status).toBe(401);
});
