import type { CreatedToken, Person } from '@countersign/protocol';
import { afterEach, expect, it } from 'vitest';
import { closeApps, openApp } from '../testing/app-fixture.js';

afterEach(closeApps);

const AGENTS = '/worlds/harbour/agents';
const coder = { name: 'Coder', provider: 'acp', model: 'x', acp: { command: ['/bin/true'] } };

it('[EXT3.11] only admins of the whole server add or change an agent that runs a program', async () => {
  const t = await openApp();
  await t.api('POST', '/worlds', { name: 'Harbour' });
  const person = await t.api<Person>('POST', '/people', {
    name: 'Wanda',
    role: 'member',
    worldRoles: { harbour: 'admin' },
  });
  const made = await t.api<CreatedToken>('POST', `/people/${person.body.id}/tokens`, {
    name: 'test',
    scopes: ['read', 'admin'],
  });
  const wanda = { Authorization: `Bearer ${made.body.token}` };

  // She changes all other agents of her world.
  expect((await t.api('POST', AGENTS, { name: 'Ada', provider: 'scripted', model: 'x' }, wanda)).status).toBe(201);
  expect(await t.api('POST', AGENTS, coder, wanda)).toMatchObject({ status: 403 });
  const { acp, provider } = coder;
  expect((await t.api('PATCH', `${AGENTS}/ada`, { provider, acp }, wanda)).status).toBe(403);

  expect((await t.api('POST', AGENTS, coder)).status).toBe(201);
  const change = (body: object, headers = wanda) => t.api('PATCH', `${AGENTS}/coder`, body, headers);
  expect((await change({ acp: { command: ['/bin/false'] } })).status).toBe(403);
  expect((await change({ active: false, name: 'Other' })).status).toBe(403);
  expect((await change({ active: false })).status).toBe(200);
  expect((await change({ active: true })).status).toBe(403);
  expect((await t.api('PATCH', `${AGENTS}/coder`, { active: true })).status).toBe(200);
});
