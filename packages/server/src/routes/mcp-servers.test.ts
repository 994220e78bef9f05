import { createRequire } from 'node:module';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@countersign/core';
import { mcpServers } from '@countersign/tools';
import { sharedSandbox } from '../../../../tests/support/shared-sandbox.js';
import type { McpContext, McpContextRequest, McpServer } from '@countersign/protocol';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { openSqlite } from '@countersign/storage';
import { temporarySecretsKey } from '../providers/secrets-key.js';
import { closeApps, openApp, until, type AppFixture, type AppFixtureOptions } from '../testing/app-fixture.js';

afterEach(closeApps);

const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/dist/index.js');
const SECRET = 'hunter2-of-the-harbour';
const sandbox = await sharedSandbox();

async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function openWith(options: AppFixtureOptions): Promise<AppFixture> {
  const mcp = mcpServers({ sandbox, show: [process.cwd()], clock: systemClock });
  return await openApp({ mcp, ...options });
}

async function open(
  options: AppFixtureOptions = {},
): Promise<{ t: AppFixture; path: string; server: Record<string, unknown> }> {
  const t = await openWith({ folder: await freshFolder(), ...options });
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

it('[HTTP11] [SAFE6] a server can be added, listed, updated and removed; values of its variables are never returned', async () => {
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

it('[HTTP1] invalid input is rejected with the field name, and nothing is written', async () => {
  const { t, path, server } = await open();
  const bad = [
    [{ ...server, name: 'No Name' }, 'name'],
    [{ ...server, command: undefined }, 'command'],
    [{ name: 'far', transport: 'http', url: 'file:///etc/passwd' }, 'url'],
    [{ ...server, url: 'http://127.0.0.1/' }, 'url'],
    [{ ...server, env: { 'A B': 'x' } }, 'env.A B'],
    [{ ...server, folders: ['tools'] }, 'folders.0'],
    [
      { name: 'far', transport: 'http', url: 'http://a.test/', headers: { 'X-Key': 'a\r\nX-Admin: 1' } },
      'headers.X-Key',
    ],
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

it('[HTTP15] an update based on a stale version is rejected', async () => {
  const { t, path, server } = await open();
  const added = await t.api<McpServer>('POST', path, { ...server, enabled: false });
  const tag = added.headers.get('etag') ?? '';
  expect((await t.api('PATCH', `${path}/memory`, { network: true }, { 'If-Match': tag })).status).toBe(200);
  expect((await t.api('PATCH', `${path}/memory`, { accept: true }, { 'If-Match': tag })).status).toBe(412);
  expect((await t.api('DELETE', `${path}/memory`, undefined, { 'If-Match': tag })).status).toBe(412);
});

it('[MCP2] values are encrypted in the store, reach the server, and are lost with another secrets key', async () => {
  const folder = await freshFolder();
  const file = join(folder, 'countersign.db');
  const secrets = temporarySecretsKey();
  const { t, path, server } = await open({ file, secrets, folder });
  // The server reports the length of its variable, so that it never prints the value.
  const script = `echo "\${#TOKEN} characters" >&2; exec "${process.execPath}" "${program}"`;
  // Its standard error and its answers are separate pipes, so the error may be read later.
  const logged = (from: AppFixture, line: string): Promise<true> =>
    until(async () => {
      const { log = [] } = (await from.api<McpServer>('GET', `${path}/memory`)).body;
      return log.includes(line) ? true : undefined;
    }, line);
  const bash = { ...server, command: 'bash', args: ['-c', script] };
  expect((await t.api('POST', path, bash)).status).toBe(201);
  const tested = await t.api<McpServer>('POST', `${path}/memory/test`);
  expect(tested.body).toMatchObject({ status: 'running', env: ['TOKEN'] });
  await logged(t, `${SECRET.length} characters`);
  // Unrelated changes keep the value, and so does a new command.
  await t.api('PATCH', `${path}/memory`, { trusted: true });
  await t.api('PATCH', `${path}/memory`, { args: ['-c', `true; ${script}`], env: { TOKEN: null } });
  const again = await t.api<McpServer>('POST', `${path}/memory/test`);
  expect(again.body).toMatchObject({ status: 'running' });
  await logged(t, `${SECRET.length} characters`);
  await t.close();
  const files = (await readdir(folder)).filter((name) => name.startsWith('countersign.db'));
  for (const name of files) expect((await readFile(join(folder, name))).includes(SECRET)).toBe(false);

  const later = await openWith({ file, folder });
  const failed = await later.api<McpServer>('POST', `${path}/memory/test`);
  expect(failed.body).toMatchObject({ status: 'failed', tools: expect.any(Array) as unknown[] });
  expect(failed.body.error).toContain('were encrypted with another secrets key');
  expect((await later.api('PATCH', `${path}/memory`, { trusted: false })).status).toBe(200);
  expect(await later.api('PATCH', `${path}/memory`, { args: ['-c', script] })).toMatchObject({
    status: 422,
    body: { field: 'env' },
  });
  // The command is sent too: someone who can write to the database may have changed the stored one.
  expect((await later.api('PATCH', `${path}/memory`, { env: { TOKEN: 'new' } })).status).toBe(422);
  const whole = { command: 'bash', args: ['-c', script], env: { TOKEN: 'new' } };
  expect((await later.api('PATCH', `${path}/memory`, whole)).status).toBe(200);
  expect((await later.api<McpServer>('POST', `${path}/memory/test`)).body.status).toBe('running');
  await logged(later, '3 characters');
});

it('[MCP2.2] placeholders in arguments and URLs are filled at the start only, so the store and exports have no secret', async () => {
  const folder = await freshFolder();
  const { t, path } = await open({ file: join(folder, 'countersign.db'), secrets: temporarySecretsKey(), folder });
  const requests: unknown[][] = [];
  const remote = createServer((request, response) => {
    requests.push([request.url, request.headers['x-team'], request.headers['api_key']]);
    response.writeHead(500).end(`no: ${request.url}`);
  });
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void remote.close());
  const url = `http://127.0.0.1:${(remote.address() as AddressInfo).port}/mcp?api_key=\${API_KEY}`;
  const args = ['-e', 'console.error("got", process.argv[1], process.argv[1].length)', '${TOKEN}'];
  const program = { name: 'near', transport: 'stdio', command: process.execPath, args, env: { TOKEN: SECRET } };
  const headers = { API_KEY: `${SECRET}&`, 'X-Team': 'one' };
  const added = [
    await t.api('POST', path, program),
    await t.api('POST', path, { name: 'far', transport: 'http', url, headers }),
  ];
  expect(added.map(({ status }) => status)).toEqual([201, 201]);
  const near = await t.api<McpServer>('POST', `${path}/near/test`);
  const far = await t.api<McpServer>('POST', `${path}/far/test`);
  // The value is masked in what the server prints.
  expect(near.body).toMatchObject({
    status: 'failed',
    args,
    log: expect.arrayContaining([`got [TOKEN] ${SECRET.length}`]) as string[],
  });
  expect(far.body).toMatchObject({ status: 'failed', url, headers: ['API_KEY', 'X-Team'] });
  expect(requests[0]).toEqual([`/mcp?api_key=${encodeURIComponent(headers.API_KEY)}`, 'one', undefined]);
  const file = await t.api('GET', path.replace('mcp-servers', 'export'));
  expect(file.text).toContain('${TOKEN}');
  expect(file.text).toContain('${API_KEY}');
  const list = await t.api('GET', path);
  const audit = await t.api('GET', path.replace('mcp-servers', 'audit'));
  for (const { text } of [...added, near, far, file, list, audit]) expect(text).not.toContain(SECRET);
  await t.close();
  for (const name of (await readdir(folder)).filter((name) => name.startsWith('countersign.db')))
    expect((await readFile(join(folder, name))).includes(SECRET)).toBe(false);
});

it('[MCP2] [MCP2.1] values don’t follow a server to another program or origin', async () => {
  const store = await openSqlite(':memory:', { clock: systemClock, synchronous: 'NORMAL' });
  const { t, path, server } = await open({ store });
  await t.api('POST', path, { ...server, enabled: false });
  const worldId = path.split('/')[2] ?? '';
  const before = await store.read((reader) => reader.mcpServer(worldId, 'memory'));
  if (before?.definition.transport !== 'stdio') throw new Error('no such server');
  const definition = { ...before.definition, command: 'env', enabled: true };
  await store.transact(worldId, (tx) => tx.updateMcpServer(before, { ...before, definition }));
  const stolen = await t.api<McpServer>('POST', `${path}/memory/test`);
  expect(stolen.body).toMatchObject({ status: 'failed' });
  expect(stolen.body.error).toContain('because the record was changed');

  const far = { name: 'far', transport: 'http', url: 'https://a.test/mcp', headers: { Authorization: SECRET } };
  await t.api('POST', path, { ...far, enabled: false });
  expect((await t.api('PATCH', `${path}/far`, { url: 'https://a.test/v2' })).status).toBe(200);
  for (const change of [{ url: 'https://b.test/' }, { url: 'https://b.test/', headers: { Authorization: null } }]) {
    const refused = await t.api('PATCH', `${path}/far`, change);
    expect(refused).toMatchObject({ status: 422, body: { field: 'headers.Authorization' } });
  }
  expect((await t.api('PATCH', `${path}/far`, { url: 'https://b.test/', headers: {} })).status).toBe(200);
});

it('[MCP2.1] values that a process without a key stored are encrypted at the next start', async () => {
  const store = await openSqlite(':memory:', { clock: systemClock, synchronous: 'NORMAL' });
  const { t, path, server } = await open({ store });
  await t.api('POST', path, { ...server, enabled: false });
  const worldId = path.split('/')[2] ?? '';
  const record = await store.read((reader) => reader.mcpServer(worldId, 'memory'));
  if (record?.definition.transport !== 'stdio') throw new Error('no such server');
  const clear = { ...record.definition, env: { TOKEN: SECRET } };
  await store.transact(worldId, (tx) => tx.updateMcpServer(record, { ...record, definition: clear, sealed: null }));
  await t.engine.start();
  const sealed = await store.read((reader) => reader.mcpServer(worldId, 'memory'));
  expect(sealed).toMatchObject({ definition: { env: { TOKEN: '' } }, sealed: expect.any(String) as string });
  expect(JSON.stringify(sealed)).not.toContain(SECRET);
});

it('[HTTP11.1] the test of a server lists its tools; a server that is off can’t be tested', async () => {
  const { t, path, server } = await open();
  await t.api('POST', path, { ...server, enabled: false });
  expect((await t.api('POST', `${path}/memory/test`)).status).toBe(409);
  await t.api('PATCH', `${path}/memory`, { enabled: true });
  const first = await t.api<McpServer>('POST', `${path}/memory/test`);
  const second = await t.api<McpServer>('POST', `${path}/memory/test`);
  for (const { body } of [first, second]) expect(body.tools).toContain('mcp__memory__read_graph');
  await t.api('PATCH', `${path}/memory`, { command: 'false', args: [], env: {} });
  const failed = await t.api<McpServer>('POST', `${path}/memory/test`);
  expect(failed).toMatchObject({ status: 200, body: { status: 'failed' } });
  expect((await t.api('POST', `${path}/nobody/test`)).status).toBe(404);
});

it('[HTTP11.1] changing a server that someone removes at the same moment gets 404', async () => {
  const { t, path, server } = await open();
  await t.api('POST', path, { ...server, enabled: false });
  const host = t.engine.runtime.mcp;
  if (host === undefined) throw new Error('no MCP host');
  const reload = host.reload.bind(host);
  host.reload = async (...place) => {
    host.reload = reload;
    expect((await t.api('DELETE', `${path}/memory`)).status).toBe(204);
    await reload(...place);
  };
  expect((await t.api('PATCH', `${path}/memory`, { trusted: true })).status).toBe(404);
});

it('[HTTP11.4] prompts and resources are listed and read as text, and secrets in them are masked', async () => {
  const { t, path } = await open();
  const args = [createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')];
  await t.api('POST', path, { name: 'all', transport: 'stdio', command: process.execPath, args });
  const listed = await t.api<McpContext>('GET', `${path}/all/context`);
  expect(listed.status).toBe(200);
  const [plain, filled] = ['simple-prompt', 'args-prompt'].map((name) =>
    listed.body.prompts.find((prompt) => prompt.name === name),
  );
  expect(plain?.arguments).toEqual([]);
  expect(filled?.arguments[0]).toMatchObject({ name: 'city', isRequired: true });
  const read = (wanted: McpContextRequest): Promise<{ status: number; text: string }> =>
    t.api('POST', `${path}/all/context`, wanted);
  const key = 'sk-ant-api03-Zk3vQ9xP2mN7rT5wY8uB4cD6eF1gH0jK';
  const prompt = await read({ prompt: 'args-prompt', arguments: { city: `Paris ${key}` } });
  expect(prompt.text).toContain('Paris');
  expect(prompt.text).not.toContain(key);
  const [resource] = listed.body.resources;
  if (resource === undefined) throw new Error('no resources');
  const found = await read({ uri: resource.uri });
  expect(found.status).toBe(200);
  expect(found.text.length).toBeGreaterThan(20);
  // The server refuses: that is not our error.
  expect((await read({ prompt: 'nothing' })).status).toBe(409);
  expect((await read({ uri: 'nowhere://at-all' })).status).toBe(409);
  expect((await t.api('POST', `${path}/all/context`, {})).status).toBe(422);
  await t.api('PATCH', `${path}/all`, { enabled: false });
  expect((await t.api('GET', `${path}/all/context`)).status).toBe(409);
});
