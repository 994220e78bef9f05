import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@countersign/core';
import type { CreatedToken, NewToken } from '@countersign/protocol';
import { openPostgres } from '@countersign/storage';
import { mcpServers } from '@countersign/tools';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorkFolders } from '../../packages/server/src/home/folders/work-folders.js';
import { closeApps, openApp, type AppFixture } from '../../packages/server/src/testing/app-fixture.js';
import { createSoftPasskey, insertPasskey } from '../../packages/server/src/testing/soft-passkey.js';
import { createMigratedDatabase } from '../support/postgres-database.js';
import { isFullSize } from '../support/scaled.js';

const bases: string[] = [];
afterEach(async () => {
  await closeApps();
  for (const base of bases.splice(0)) await rm(base, { recursive: true, force: true });
});

type Headers = Record<string, string>;

async function tokenWith(t: AppFixture, scopes: NewToken['scopes']): Promise<Headers> {
  const { body } = await t.api<CreatedToken>('POST', '/people/owner/tokens', { name: scopes?.join(' '), scopes });
  return { Authorization: `Bearer ${body.token}` };
}

/** Requests that start a program outside the sandbox, or open a folder with credentials to the sandbox. */
function waysToSign(t: AppFixture, world: string, key: string) {
  const rules = async (by: Headers) => {
    const { headers } = await t.api('GET', `/worlds/${world}/policy`);
    const body = { rules: [`allow sandbox_folder(${key})`] };
    return await t.api('PUT', `/worlds/${world}/policy`, body, { ...by, 'If-Match': headers.get('etag') ?? '' });
  };
  const agent = { name: 'Coder', provider: 'acp', model: 'x', acp: { command: ['/bin/true'] } };
  const server = { name: 'x', transport: 'stdio', command: '/bin/true', enabled: false };
  return {
    'an ACP agent': (by: Headers) => t.api('POST', `/worlds/${world}/agents`, agent, by),
    'a program as MCP server': (by: Headers) => t.api('POST', `/worlds/${world}/mcp-servers`, server, by),
    'a folder that no world may use': rules,
  };
}

describe.each(['SQLite', 'PostgreSQL'])('[SAFE2.2] an owner’s token without sign, on %s', (kind) => {
  const open = async () => {
    const base = await realpath(await mkdtemp(join(tmpdir(), 'countersign-no-sign-')));
    bases.push(base);
    await mkdir(join(base, 'home'));
    const t = await openApp({
      ...(kind === 'SQLite' ? {} : { store: await openPostgres(await createMigratedDatabase()) }),
      mcp: mcpServers({ sandbox: { kind: 'none', reason: 'a test' }, clock: systemClock }),
      workFolders: createWorkFolders(join(base, 'home'), join(base, 'worlds')),
      listedPrograms: [['/bin/echo', '--acp']],
    });
    await t.api('POST', '/worlds', { name: 'Lab' });
    return t;
  };

  it('starts no program outside the sandbox and opens no folder with credentials', async () => {
    const t = await open();
    const admin = await tokenWith(t, ['read', 'chat', 'admin']);
    for (const [name, way] of Object.entries(waysToSign(t, 'lab', '/etc'))) {
      expect([name, await way(admin)]).toMatchObject([
        name,
        { status: 403, body: { detail: expect.stringContaining('scope sign') as string } },
      ]);
    }
    expect((await t.api('GET', '/worlds/lab/agents')).body).toEqual({ items: [] });
    // An owner does it without being asked anything.
    for (const [name, way] of Object.entries(waysToSign(t, 'lab', '/etc')))
      expect([name, (await way({})).status < 300]).toEqual([name, true]);
  });

  // The store makes no difference to the rest: only at full size.
  if (!isFullSize && kind !== 'SQLite') return;

  it('[SAFE2.3] starts exactly the programs that the administrator’s file lists', async () => {
    const t = await open();
    await insertPasskey(t.engine.runtime.store, 'owner', createSoftPasskey());
    expect((await t.api('POST', '/worlds', { name: 'Bank', policy: ['ask * with passkey'] })).status).toBe(201);
    const admin = await tokenWith(t, ['read', 'chat', 'admin']);
    const add = async (command: string[], env?: object) => {
      const [program, ...args] = command;
      const server = { name: 'x', transport: 'stdio', command: program, args, env, enabled: false };
      const agent = { name: 'Coder', provider: 'acp', model: 'x', acp: { command } };
      const added = [
        await t.api('POST', '/worlds/lab/agents', agent, admin),
        await t.api('POST', '/worlds/lab/mcp-servers', server, admin),
      ];
      return added.map(({ status }) => status);
    };
    expect(await add(['/bin/echo'])).toEqual([403, 403]);
    expect(await add(['/bin/echo', '--acp', '--yolo'])).toEqual([403, 403]);
    expect(await add(['/bin/echo', '--acp'], { NODE_OPTIONS: '--require=/tmp/x' })).toEqual([201, 403]);
    expect(await add(['/bin/echo', '--acp'])).toEqual([409, 201]);
  });

  it('gets around no rule with passkey by a new world, not even if it may sign', async () => {
    const t = await open();
    await insertPasskey(t.engine.runtime.store, 'owner', createSoftPasskey());
    expect((await t.api('POST', '/worlds', { name: 'Bank', policy: ['ask * with passkey'] })).status).toBe(201);
    for (const [name, way] of Object.entries(waysToSign(t, 'lab', '/etc')))
      expect([name, await way({})]).toMatchObject([name, { status: 409, body: { field: 'confirmation' } }]);
    expect((await t.api('POST', '/worlds', { name: 'Other', policy: ['allow sandbox_folder(/etc)'] })).status).toBe(
      409,
    );
    expect((await t.api('POST', '/worlds/lab/agents', { name: 'Ada', provider: 'scripted', model: 'x' })).status).toBe(
      201,
    );
  });
});
