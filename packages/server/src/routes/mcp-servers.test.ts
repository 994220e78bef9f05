import { createRequire } from 'node:module';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@countersign/core';
import { findSandbox, mcpServers } from '@countersign/tools';
import type { McpServer } from '@countersign/protocol';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { closeApps, openApp, until, type AppFixture } from '../testing/app-fixture.js';

afterEach(closeApps);

const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/dist/index.js');
const SECRET = 'hunter2-of-the-harbour';

async function open(): Promise<{ t: AppFixture; path: string; server: Record<string, unknown> }> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const mcp = mcpServers({ sandbox: await findSandbox(), show: [process.cwd()], clock: systemClock });
  const t = await openApp({ mcp, folder });
  const world = await t.api<{ id: string }>('POST', '/worlds', { name: 'Harbour' });
  const server = {
    name: 'memory',
    transport: 'stdio',
    command: process.execPath,
    args: [program],
    env: { TOKEN: SECRET },
  };
  return { t, path: `/worlds/${world.body.id}/mcp-servers`, server };
}

it('[W3.17] [A15] a server can be added, listed, updated and removed; values of its variables are never returned', async () => {
  const { t, path, server } = await open();
  const added = await t.api<McpServer>('POST', path, server);
  expect(added).toMatchObject({ status: 201, body: { name: 'memory', env: ['TOKEN'], trusted: false, enabled: true } });
  const running = await until(async () => {
    const shown = await t.api<McpServer>('GET', `${path}/memory`);
    return shown.body.status === 'running' ? shown : undefined;
  }, 'it runs');
  expect(running.body.tools).toContain('mcp__memory__read_graph');
  const tools = await t.api<{ items: { name: string; trusted: boolean }[] }>(
    'GET',
    path.replace('mcp-servers', 'tools'),
  );
  expect(tools.body.items).toContainEqual(expect.objectContaining({ name: 'mcp__memory__read_graph', trusted: false }));
  const changed = await t.api<McpServer>('PATCH', `${path}/memory`, { trusted: true });
  expect(changed).toMatchObject({ status: 200, body: { trusted: true, env: ['TOKEN'] } });
  const list = await t.api<{ items: McpServer[] }>('GET', path);
  expect(list.body.items).toMatchObject([{ name: 'memory', trusted: true }]);
  for (const { text } of [added, running, changed, list]) expect(text).not.toContain(SECRET);
  expect((await t.api('DELETE', `${path}/memory`)).status).toBe(204);
  expect((await t.api('GET', `${path}/memory`)).status).toBe(404);
  expect(t.errors).toEqual([]);
});

it('[W2] invalid input is rejected with the field name, and nothing is written', async () => {
  const { t, path, server } = await open();
  const bad = [
    [{ ...server, name: 'No Name' }, 'name'],
    [{ ...server, command: undefined }, 'command'],
    [{ name: 'far', transport: 'http', url: 'file:///etc/passwd' }, 'url'],
    [{ ...server, url: 'http://127.0.0.1/' }, 'url'],
  ] as const;
  for (const [body, field] of bad) {
    expect(await t.api('POST', path, body)).toMatchObject({ status: 422, body: { field } });
  }
  expect((await t.api<{ items: unknown[] }>('GET', path)).body.items).toEqual([]);
  expect((await t.api('GET', '/worlds/nowhere/mcp-servers')).status).toBe(404);
  await t.api('POST', path, { ...server, enabled: false });
  expect((await t.api('POST', path, server)).status).toBe(409);
  expect(await t.api('PATCH', `${path}/memory`, { url: 'http://127.0.0.1/' })).toMatchObject({
    status: 422,
    body: { field: 'url' },
  });
  expect((await t.api('PATCH', `${path}/nobody`, { trusted: true })).status).toBe(404);
});

it('[W6] an update based on a stale version is rejected', async () => {
  const { t, path, server } = await open();
  const added = await t.api<McpServer>('POST', path, { ...server, enabled: false });
  const tag = added.headers.get('etag') ?? '';
  expect((await t.api('PATCH', `${path}/memory`, { args: ['other'] }, { 'If-Match': tag })).status).toBe(200);
  expect((await t.api('PATCH', `${path}/memory`, { accept: true }, { 'If-Match': tag })).status).toBe(412);
  expect((await t.api('DELETE', `${path}/memory`, undefined, { 'If-Match': tag })).status).toBe(412);
});
