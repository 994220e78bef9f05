import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addAgent, createWorld } from '@countersign/core';
import { serve, type Serving } from '@countersign/server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createMigratedDatabase } from '../support/postgres-database.js';

const KEY = 'sk-Ab3dEf6hIj9kLmN0pQrStUvWx2z4';
const ME = { who: 'tester', client: 'test' };
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

it('[P7.1] [P8.2] servers that share a secrets key see each other’s providers without a restart', async () => {
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

it('[P8.5] a server with another secrets key says so, and keeps running', async () => {
  const [a, b] = [(await start('a')).home, (await start('b')).home];
  await a.providers.add(a.engine.runtime, { kind: 'openai', name: 'Work', apiKey: KEY }, ME);
  const theirs = (await b.providers.list()).find(({ id }) => id === 'work');
  expect(theirs).toMatchObject({
    available: false,
    problem: expect.stringContaining('COUNTERSIGN_SECRETS_KEY') as string,
  });
  expect((await a.providers.list()).find(({ id }) => id === 'work')).toMatchObject({ available: true });
});
