import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@countersign/core/ports';
import type { CreatedToken, Person, ShownPolicy } from '@countersign/protocol';
import { openPostgres } from '@countersign/storage';
import { mcpServers, shellCmd } from '@countersign/tools';
import { sharedSandbox } from '../support/shared-sandbox.js';
import { systemClock } from '@countersign/core';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorkFolders } from '../../packages/server/src/home/folders/work-folders.js';
import { closeApps, openApp, type AppFixture } from '../../packages/server/src/testing/app-fixture.js';
import { ask, signInAs } from '../../packages/server/src/testing/sign-in.js';
import { createMigratedDatabase } from '../support/postgres-database.js';
import { isFullSize } from '../support/scaled.js';

const bases: string[] = [];
afterEach(async () => {
  await closeApps();
  for (const base of bases.splice(0)) await rm(base, { recursive: true, force: true });
});

/** Bob is admin of the world Beta and has no role on the server or in Alpha, which has secrets. */
async function setUp(store: Store | undefined) {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'countersign-world-admin-')));
  bases.push(base);
  const at = (path: string): string => join(base, path);
  for (const folder of ['home', 'alpha', 'beta/work', 'beta/lib', 'shared'])
    await mkdir(at(folder), { recursive: true });
  await writeFile(at('alpha/secret.txt'), 'the secret of Alpha');
  const sandbox = await sharedSandbox();
  const t = await openApp({
    ...(store === undefined ? {} : { store }),
    tools: [shellCmd({ sandbox })],
    mcp: mcpServers({ sandbox, clock: systemClock }),
    workFolders: createWorkFolders(at('home'), at('worlds')),
  });
  expect((await t.api('POST', '/worlds', { name: 'Alpha', workingDirectory: at('alpha') })).status).toBe(201);
  expect((await t.api('POST', '/worlds', { name: 'Beta' })).status).toBe(201);
  const person = { name: 'Bob', role: null, worldRoles: { beta: 'admin' } };
  expect((await t.api<Person>('POST', '/people', person)).status).toBe(201);
  const wanted = { name: 'bob', scopes: ['read', 'chat', 'admin'] };
  const { token } = (await t.api<CreatedToken>('POST', '/people/bob/tokens', wanted)).body;
  return { t, at, bob: { Authorization: `Bearer ${token}` } };
}

type Headers = Record<string, string>;

async function putRules(t: AppFixture, by: Headers, rules: readonly string[]) {
  const { headers } = await t.api('GET', '/worlds/beta/policy');
  return await t.api<ShownPolicy>(
    'PUT',
    '/worlds/beta/policy',
    { rules },
    { ...by, 'If-Match': headers.get('etag') ?? '' },
  );
}

describe.each(['SQLite', 'PostgreSQL'])('[SAFE2] the admin of one world, on %s', (kind) => {
  const open = async () =>
    await setUp(kind === 'SQLite' ? undefined : await openPostgres(await createMigratedDatabase()));

  it('[SAFE2.1] reaches no other world, no private address and no program of the machine', async () => {
    const { t, at, bob } = await open();
    const { port } = new URL(t.url);
    // A session may sign too. The token may not.
    const signingBob = await signInAs(t, 'bob');
    const patch = (body: object) => t.api('PATCH', '/worlds/beta', body, bob);
    const add = (server: object) => t.api('POST', '/worlds/beta/mcp-servers', { name: 'x', ...server }, bob);
    const http = (url: string) => add({ transport: 'http', url });
    const attacks: Record<string, () => Promise<{ status: number; body: unknown }>> = {
      'the folder of another world': () => patch({ workingDirectory: at('alpha') }),
      'a folder above it': () => patch({ workingDirectory: at('') }),
      'any other folder': () => patch({ workingDirectory: at('shared') }),
      'a root': () => patch({ roots: [at('alpha')] }),
      'a folder for commands': () => putRules(t, bob, [`allow sandbox_folder(${at('alpha')})`]),
      'a folder below it': () => putRules(t, bob, ['allow shell_cmd(ls)', `allow sandbox_folder(${at('alpha')}/x/**)`]),
      'our own port': () => putRules(t, bob, [`allow sandbox_network(127.0.0.1:${port})`]),
      'our own port by name': () => putRules(t, bob, [`allow sandbox_network(localhost:${port})`]),
      'a rehearsal with such a rule': () =>
        ask(t, 'POST', '/worlds/beta/policy/check', signingBob, {
          tool: 'shell_cmd',
          arguments: { command: `cat ${at('alpha/secret.txt')}` },
          rules: [`allow sandbox_folder(${at('alpha')})`],
          rehearse: true,
        }),
      'a program as MCP server': () => add({ transport: 'stdio', command: '/bin/sh', args: ['-c', 'id'] }),
      'a program with folders': () => add({ transport: 'stdio', command: 'npx', folders: [at('alpha')] }),
      'an MCP server on this machine': () => http(`http://127.0.0.1:${port}/mcp`),
      'the same, spelled differently': () => http(`http://0x7f.1:${port}/mcp`),
      'an MCP server by a local name': () => http('http://localhost:1/mcp'),
      'an MCP server on IPv6': () => http('http://[::1]:1/mcp'),
      'an agent that is a program': () =>
        t.api(
          'POST',
          '/worlds/beta/agents',
          { name: 'C', provider: 'acp', model: 'x', acp: { command: ['/bin/true'] } },
          bob,
        ),
    };
    expect((await patch({ workingDirectory: '/srv/x' })).body).toMatchObject({
      detail:
        'Only admins of the whole server can let this world use the folder /srv/x. ' +
        'They can also give it a root, in which you choose folders: countersign worlds edit beta --root FOLDER. Ask Olga Owner.',
    });
    for (const [name, attack] of Object.entries(attacks)) {
      const { status, body } = await attack();
      expect([name, status, JSON.stringify(body)]).toEqual([
        name,
        403,
        expect.stringMatching(/admins of the whole server [^"]+\. Ask Olga Owner\."/),
      ]);
    }
    expect((await t.api('GET', '/worlds/beta')).body).not.toHaveProperty('workingDirectory');
    expect((await t.api('GET', '/worlds/beta/policy')).body).toMatchObject({ rules: [] });
    expect((await t.api('GET', '/worlds/beta/mcp-servers')).body).toEqual({ items: [] });
    // An owner does all of this without being asked anything.
    const owner = {};
    expect((await t.api('PATCH', '/worlds/beta', { workingDirectory: at('shared') })).status).toBe(200);
    expect(
      (await putRules(t, owner, [`allow sandbox_folder(${at('alpha')})`, 'allow sandbox_network(127.0.0.1:1)'])).status,
    ).toBe(200);
    const server = { name: 'local', transport: 'http', url: `http://127.0.0.1:${port}/none`, enabled: false };
    expect((await t.api('POST', '/worlds/beta/mcp-servers', server)).status).toBe(201);
    // What an owner gave stays, and Bob can change everything else.
    expect(
      (
        await putRules(t, bob, [
          'allow sandbox_network(127.0.0.1:1)',
          `allow sandbox_folder(${at('alpha')})`,
          'allow sandbox_network(example.com)',
        ])
      ).status,
    ).toBe(200);
    expect((await patch({ description: 'mine', mode: 'auto' })).status).toBe(200);
    expect((await t.api('PATCH', '/worlds/beta/mcp-servers/local', { enabled: true }, bob)).status).toBe(403);
    expect((await patch({ workingDirectory: null })).status).toBe(200);
  });

  // The store makes no difference to the rest: only at full size.
  if (!isFullSize && kind !== 'SQLite') return;

  it('[HTTP11.1] restarts a program that an owner added, and never turns it off that way', async () => {
    const { t, bob } = await open();
    const server = { name: 'kept', transport: 'stdio', command: '/bin/false' };
    expect((await t.api('POST', '/worlds/beta/mcp-servers', server)).status).toBe(201);
    const path = '/worlds/beta/mcp-servers/kept';
    expect(await t.api('POST', `${path}/restart`, {}, bob)).toMatchObject({ status: 200, body: { enabled: true } });
    expect((await t.api('GET', path)).body).toMatchObject({ enabled: true });
    const log = await t.engine.runtime.store.read((reader) => reader.audit('beta', { after: 0, limit: 100 }));
    expect(log.at(-1)).toMatchObject({ decision: 'MCP server restarted', who: { id: 'bob' } });
    expect((await t.api('PATCH', path, { enabled: false }, bob)).status).toBe(200);
    expect((await t.api('POST', `${path}/restart`, {}, bob)).status).toBe(409);
    expect((await t.api('PATCH', path, { enabled: true }, bob)).status).toBe(403);
  });

  it('writes no rule that opens a folder or an address, even if another rule closes it now', async () => {
    const { t, at, bob } = await open();
    const rules = [`allow sandbox_folder(${at('shared')})`, 'allow sandbox_network(127.0.0.1:1)'];
    const closing = [`deny sandbox_folder(${at('shared')})`, 'ask sandbox_network'];
    for (const [index, rule] of rules.entries())
      expect((await putRules(t, bob, [rule, closing[index] ?? ''])).status).toBe(403);
    // In a world whose folder can't be used now, too.
    await t.api('PATCH', '/worlds/beta', { workingDirectory: at('beta/work') });
    await rm(at('beta/work'), { recursive: true });
    expect((await putRules(t, bob, ['allow sandbox_folder(~/library)'])).status).toBe(403);
    // What an owner wrote stays.
    expect((await putRules(t, {}, [...rules, ...closing])).status).toBe(200);
    expect((await putRules(t, bob, [...rules, ...closing, 'allow shell_cmd(ls)'])).status).toBe(200);
  });

  it('opens nothing by removing the rule that closed it', async () => {
    const { t, at, bob } = await open();
    const allow = `allow sandbox_folder(${at('shared')})`;
    await putRules(t, {}, [allow, `deny sandbox_folder(${at('shared')})`]);
    expect((await putRules(t, bob, [allow])).status).toBe(403);
    expect((await putRules(t, bob, [])).status).toBe(200);
  });

  it('[SAFE3] chooses folders inside the roots that a server admin gave to the world', async () => {
    const { t, at, bob } = await open();
    const patch = (body: object, by: Headers = bob) => t.api('PATCH', '/worlds/beta', body, by);
    expect((await patch({ roots: [at('beta')] }, {})).status).toBe(200);
    expect((await patch({ workingDirectory: at('beta/work') })).status).toBe(200);
    expect((await putRules(t, bob, [`allow sandbox_folder(${at('beta/lib')})`])).status).toBe(200);
    await symlink(at('alpha'), at('beta/link'));
    await t.api('POST', '/worlds', { name: 'Gamma', workingDirectory: at('beta/work') });
    const refused = [at('beta/link'), `${at('beta')}/../alpha`, at('betamax'), at('shared'), at('beta/gone')];
    for (const workingDirectory of refused) {
      const { status } = await patch({ workingDirectory });
      expect([workingDirectory, status]).toEqual([workingDirectory, 403]);
    }
    expect((await putRules(t, bob, [`allow sandbox_folder(${at('beta/link')})`])).status).toBe(403);
    // Gamma works there now, and Bob is not its admin.
    expect(await patch({ workingDirectory: at('beta') })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('Only an admin of both worlds') as string },
    });
    expect((await patch({ roots: [at('beta'), at('alpha')] })).status).toBe(403);
    // Without roots, nothing would notice a link that leads out.
    for (const roots of [null, []]) expect((await patch({ roots })).status).toBe(403);
    // A folder that is replaced by a link afterwards is noticed when something runs there.
    await rename(at('beta/work'), at('beta/old'));
    await symlink(at('alpha'), at('beta/work'));
    await rm(at('beta/lib'), { recursive: true });
    await symlink(at('alpha'), at('beta/lib'));
    const check = { tool: 'shell_cmd', arguments: { command: 'cat secret.txt' } };
    expect(await t.api('POST', '/worlds/beta/policy/check', check)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('is not in the roots') as string },
    });
    await patch({ workingDirectory: null }, {});
    const { runtime } = t.engine;
    const snapshot = await runtime.store.read((reader) => runtime.caches.snapshots.read(reader, 'beta'));
    if (snapshot === undefined) throw new Error('no world');
    expect(runtime.findPlace(snapshot).grants?.folders ?? []).toEqual([]);
  });

  it('[SAFE3.1] keeps its root while it works in it, so that a link is always noticed', async () => {
    const { t, at, bob } = await open();
    const patch = (body: object, by: Headers = {}) => t.api('PATCH', '/worlds/beta', body, by);
    await patch({ roots: [at('beta'), at('shared')] });
    expect((await patch({ workingDirectory: at('beta/work') }, bob)).status).toBe(200);
    const inUse = { status: 409, body: { field: 'roots', detail: expect.stringContaining('in the root') as string } };
    for (const roots of [null, [at('shared')]]) expect(await patch({ roots })).toMatchObject(inUse);
    expect((await patch({ roots: [at('beta/work')] })).status).toBe(200);
    expect((await patch({ roots: [at('beta')] })).status).toBe(200);
    expect((await patch({ roots: [at('shared')], workingDirectory: null })).status).toBe(200);
    await patch({ roots: [at('beta')] });
    expect((await putRules(t, bob, [`allow sandbox_folder(${at('beta/lib')})`])).status).toBe(200);
    expect(await patch({ roots: null })).toMatchObject(inUse);
    expect((await putRules(t, bob, [])).status).toBe(200);
    expect((await patch({ roots: null })).status).toBe(200);
  });

  it('[SAFE3] reaches another world in the same root through no link that it creates later', async () => {
    const { t, at, bob } = await open();
    for (const folder of ['team/beta/one', 'team/beta/two', 'team/delta']) await mkdir(at(folder), { recursive: true });
    await t.api('POST', '/worlds', { name: 'Delta', workingDirectory: at('team/delta') });
    await t.api('PATCH', '/worlds/beta', { roots: [at('team')] });
    const workingDirectory = at('team/beta/one');
    expect((await t.api('PATCH', '/worlds/beta', { workingDirectory }, bob)).status).toBe(200);
    expect((await putRules(t, bob, [`allow sandbox_folder(${at('team/beta/two')})`])).status).toBe(200);
    for (const folder of ['team/beta/one', 'team/beta/two']) {
      await rm(at(folder), { recursive: true });
      await symlink(at('team/delta'), at(folder));
    }
    const check = { tool: 'shell_cmd', arguments: { command: 'ls' } };
    expect((await t.api('POST', '/worlds/beta/policy/check', check)).status).toBe(422);
    await t.api('PATCH', '/worlds/beta', { workingDirectory: null }, bob);
    const { runtime } = t.engine;
    const snapshot = await runtime.store.read((reader) => runtime.caches.snapshots.read(reader, 'beta'));
    expect(snapshot && (runtime.findPlace(snapshot).grants?.folders ?? [])).toEqual([]);
  });

  it('[SAFE1.1] gets no folder whose files run later, not even as an owner', async () => {
    const { t, at } = await open();
    for (const folder of ['/etc', '/usr/lib'])
      for (const body of [{ workingDirectory: folder }, { roots: [folder] }])
        expect(await t.api('PATCH', '/worlds/beta', body)).toMatchObject({
          status: 422,
          body: { field: Object.keys(body)[0], detail: expect.stringContaining('whose files run') as string },
        });
    expect((await t.api('PATCH', '/worlds/beta', { roots: [at('shared')] })).status).toBe(200);
  });
});
