import type { CreatedExternalAgent } from '@countersign/protocol';
import { afterEach, expect, it } from 'vitest';
import { routes } from '../../packages/server/src/routes/index.js';
import { closeApps } from '../../packages/server/src/testing/app-fixture.js';
import { openHarbour } from '../../packages/server/src/testing/harbour.js';

afterEach(closeApps);

it('[EXT1.6] the token of an external agent gets no answer from any route but its own', async () => {
  const t = await openHarbour();
  const agent = { name: 'Claude Code', program: 'claude' };
  const { token } = (await t.api<CreatedExternalAgent>('POST', '/worlds/harbour/external/agents', agent)).body;
  await t.propose({ name: 'remove', arguments: { path: 'a' } });
  const [card] = await t.pending();
  const known: Record<string, string> = {
    world: 'harbour',
    agent: 'ada',
    chat: t.chat,
    approval: card?.approvalId ?? '',
    call: card?.toolCallId ?? '',
    person: 'owner',
  };
  const before = await t.api('GET', '/worlds/harbour/policy');
  const answered: string[] = [];
  for (const { method, path, needs } of routes) {
    if (needs === 'no-credential') continue;
    const at = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(known[name] ?? 'x'));
    const response = await fetch(`${t.url}/api${at}`, {
      method: method.toUpperCase(),
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(method === 'get' ? {} : { body: '{}' }),
    });
    await response.body?.cancel();
    if (![403, 404].includes(response.status)) answered.push(`${method} ${path} ${response.status}`);
  }
  // These read the body before they know what is needed, or are its own.
  expect(answered.sort()).toEqual([
    'post /worlds/{world}/external/calls 422',
    'post /worlds/{world}/external/calls/{call}/result 422',
    'post /worlds/{world}/external/sessions/{session}/context 200',
    'post /worlds/{world}/external/sessions/{session}/end 204',
    'post /worlds/{world}/policy/check 422',
    'post /worlds/{world}/tool-results 422',
  ]);
  for (const path of ['/metrics', '/api/openapi.json']) {
    const response = await fetch(`${t.url}${path}`, { headers: { Authorization: `Bearer ${token}` } });
    expect([path, response.status === 200 && path === '/metrics']).toEqual([path, false]);
  }
  expect((await t.api('GET', '/worlds/harbour/policy')).body).toEqual(before.body);
  expect(t.runs).toEqual([]);
  expect(await t.pending()).toHaveLength(1);
});
