import { afterEach, describe, expect, it } from 'vitest';
import { closeApps, openApp, type AppFixture } from '../testing/app-fixture.js';

afterEach(closeApps);

const ada = { name: 'Ada', provider: 'scripted', model: 'any' };

interface Page {
  items: { id: string }[];
  next?: string;
}

async function withWorld(): Promise<AppFixture> {
  const t = await openApp();
  await t.api('POST', '/worlds', { name: 'Harbour' });
  return t;
}

describe('worlds', () => {
  it('[HTTP5] can be created, read, updated and deleted; their ids are slugs of their names', async () => {
    const t = await openApp();
    const made = await t.api('POST', '/worlds', { name: 'Harbour Crew', mode: 'read', policy: ['deny rm'] });
    expect(made).toMatchObject({ status: 201, body: { id: 'harbour-crew', name: 'Harbour Crew', mode: 'read' } });
    expect((await t.api('POST', '/worlds', { name: 'Harbour Crew' })).body).toMatchObject({ id: 'harbour-crew-2' });
    expect((await t.api<Page>('GET', '/worlds')).body.items.map(({ id }) => id)).toEqual([
      'harbour-crew',
      'harbour-crew-2',
    ]);
    const changed = await t.api('PATCH', '/worlds/harbour-crew', { description: 'by the sea', turnLimit: 9 });
    expect(changed).toMatchObject({ status: 200, body: { description: 'by the sea', turnLimit: 9, mode: 'read' } });
    expect((await t.api('PATCH', '/worlds/harbour-crew', { description: null })).body).not.toHaveProperty(
      'description',
    );
    expect((await t.api('DELETE', '/worlds/harbour-crew')).status).toBe(204);
    expect((await t.api('GET', '/worlds/harbour-crew')).status).toBe(404);
    expect((await t.api('POST', '/worlds', { name: 'Harbour Crew' })).body).toMatchObject({ id: 'harbour-crew-3' });
  });

  it('[HTTP5] [STORE6] return the last event id, for a stream to resume from', async () => {
    const t = await withWorld();
    expect((await t.api('GET', '/worlds/harbour')).body).toMatchObject({ lastEventId: 0 });
    await t.api('POST', '/worlds/harbour/agents', ada);
    expect((await t.api('GET', '/worlds/harbour')).body).toMatchObject({ lastEventId: 1 });
  });

  it('[HTTP13.2] are listed in pages with opaque cursors', async () => {
    const t = await openApp();
    for (const name of ['A', 'B', 'C', 'D', 'E']) await t.api('POST', '/worlds', { name });
    const first = (await t.api<Page>('GET', '/worlds?limit=2')).body;
    expect(first.items.map(({ id }) => id)).toEqual(['a', 'b']);
    const second = (await t.api<Page>('GET', `/worlds?limit=2&after=${first.next}`)).body;
    expect(second.items.map(({ id }) => id)).toEqual(['c', 'd']);
    const third = (await t.api<Page>('GET', `/worlds?limit=2&after=${second.next}`)).body;
    expect(third).toEqual({ items: [expect.objectContaining({ id: 'e' })] });
    expect(await t.api('GET', '/worlds?after=nowhere')).toMatchObject({ status: 422, body: { field: 'after' } });
  });

  it('[HTTP15] a stale update is rejected, and one of two concurrent updates wins', async () => {
    const t = await withWorld();
    const etag = (await t.api('GET', '/worlds/harbour')).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    const race = await Promise.all(
      [7, 8, 9].map((turnLimit) => t.api('PATCH', '/worlds/harbour', { turnLimit }, { 'If-Match': etag })),
    );
    expect(race.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 412, 412]);
    const fresh = race.find(({ status }) => status === 200)?.headers.get('etag') ?? '';
    expect((await t.api('GET', '/worlds/harbour')).headers.get('etag')).toBe(fresh);
    expect((await t.api('DELETE', '/worlds/harbour', undefined, { 'If-Match': etag })).status).toBe(412);
    expect((await t.api('PATCH', '/worlds/harbour', { mode: 'read' }, { 'If-Match': `W/${fresh}` })).status).toBe(412);
    expect((await t.api('PATCH', '/worlds/harbour', { mode: 'read' }, { 'If-Match': '*' })).status).toBe(200);
    expect((await t.api('PATCH', '/worlds/harbour', { mode: 'ask' }, { 'If-Match': `"x", ${fresh}` })).status).toBe(
      412,
    );
  });

  it('[HTTP1] invalid input is rejected with the field name, and nothing changes', async () => {
    const t = await withWorld();
    const before = (await t.api('GET', '/worlds/harbour')).text;
    for (const [body, field] of [
      [{ mode: 'yolo' }, 'mode'],
      [{ mode: null }, 'mode'],
      [{ turnLimit: 0 }, 'turnLimit'],
      [{ color: 'red' }, 'color'],
      [{ mainAgent: 'nobody' }, 'mainAgent'],
      [{ name: 'human' }, 'name'],
    ] as const) {
      expect(await t.api('PATCH', '/worlds/harbour', body)).toMatchObject({ status: 422, body: { field } });
    }
    expect((await t.api('GET', '/worlds/harbour')).text).toBe(before);
  });
});

describe('agents', () => {
  it('[HTTP5.2] can be added, read, updated and removed', async () => {
    const t = await withWorld();
    const made = await t.api('POST', '/worlds/harbour/agents', { ...ada, tools: ['*'], temperature: 0.5 });
    expect(made).toMatchObject({ status: 201, body: { id: 'ada', name: 'Ada', tools: ['*'], active: true } });
    const etag = made.headers.get('etag') ?? '';
    expect((await t.api('GET', '/worlds/harbour/agents/ada')).headers.get('etag')).toBe(etag);
    const changed = await t.api(
      'PATCH',
      '/worlds/harbour/agents/ada',
      { active: false, temperature: null },
      { 'If-Match': etag },
    );
    expect(changed).toMatchObject({ status: 200, body: { active: false, tools: ['*'] } });
    expect(changed.body).not.toHaveProperty('temperature');
    const stale = await t.api('PATCH', '/worlds/harbour/agents/ada', { active: true }, { 'If-Match': etag });
    expect(stale.status).toBe(412);
    expect(await t.api('POST', '/worlds/harbour/agents', ada)).toMatchObject({ status: 409, body: { field: 'name' } });
    expect((await t.api('DELETE', '/worlds/harbour/agents/ada')).status).toBe(204);
    expect((await t.api('DELETE', '/worlds/harbour/agents/ada')).status).toBe(404);
    expect((await t.api<Page>('GET', '/worlds/harbour/agents')).body).toEqual({ items: [] });
  });

  it.each([
    ['temperature', 3, 'must be at most 2'],
    ['topP', 1.5, 'must be at most 1'],
    ['maxTokens', 0, 'must be at least 1'],
    ['contextTokens', 10, 'must be at least 1000'],
    ['thinking', 'hard', 'must be off, low, medium or high, or a token budget from 128 to 200000'],
    ['thinking', 5, 'must be at least 128'],
    ['parallelToolCalls', 'no', 'must be true or false'],
  ])('[MODEL10] an invalid %s gets an error at its field', async (field, value, words) => {
    const t = await withWorld();
    const added = await t.api('POST', '/worlds/harbour/agents', { ...ada, [field]: value });
    await t.api('POST', '/worlds/harbour/agents', ada);
    const changed = await t.api('PATCH', '/worlds/harbour/agents/ada', { [field]: value });
    for (const refused of [added, changed]) {
      expect(refused).toMatchObject({ status: 422, body: { field } });
      expect(JSON.stringify(refused.body)).toContain(words);
    }
  });

  it('[HTTP5.2] in an unknown world are 404', async () => {
    const t = await openApp();
    for (const path of ['agents', 'chats', 'approvals', 'grants', 'policy', 'tools', 'stats', 'export', 'search?q=x']) {
      expect((await t.api('GET', `/worlds/nowhere/${path}`)).status).toBe(404);
    }
    expect((await t.api('POST', '/worlds/nowhere/agents', ada)).status).toBe(404);
    expect((await t.api('POST', '/worlds/nowhere/clients', { label: 'x', approvals: true })).status).toBe(404);
    expect((await t.api('GET', '/worlds/nowhere/audit')).status).toBe(404);
    expect((await t.api('GET', '/worlds/nowhere/events')).status).toBe(404);
  });
});

it('[HTTP1] rejects an unknown provider and lists the known ones', async () => {
  const t = await openApp();
  await t.api('POST', '/worlds', { name: 'Typo' });
  const detail = 'There is no provider "opnai". Known: scripted, acp.';
  const refused = { status: 422, body: { detail, field: 'provider' } };
  expect(await t.api('POST', '/worlds/typo/agents', { ...ada, provider: 'opnai' })).toMatchObject(refused);
  expect((await t.api('POST', '/worlds/typo/agents', ada)).status).toBe(201);
  expect(await t.api('PATCH', '/worlds/typo/agents/ada', { provider: 'opnai' })).toMatchObject(refused);
  // An imported agent keeps its provider, which may be set up later. It can be edited, and the notes say what is missing.
  const file = 'countersign: 1\nname: Far\nagents:\n  - { name: Bea, provider: opnai, model: any }\n';
  const imported = await t.api('POST', '/worlds/import', file, { 'Content-Type': 'application/yaml' });
  expect(imported.body).toMatchObject({
    notes: ['Bea uses the provider "opnai", which is not set up here. Choose another provider for it.'],
  });
  expect((await t.api('PATCH', '/worlds/far/agents/bea', { model: 'other', provider: 'opnai' })).status).toBe(200);
});

it('[HTTP2.1] [HTTP3] [HTTP4] reports health and providers, and exchanges a ticket for a session once', async () => {
  const t = await openApp();
  expect(await t.api('GET', '/health', undefined, { Authorization: '' })).toMatchObject({
    status: 200,
    body: { status: 'ok' },
  });
  expect((await t.api('GET', '/providers')).body).toEqual({
    items: [{ id: 'scripted', name: 'scripted', source: 'built-in', hasKey: false, available: true }],
  });
  const ticket = t.newTicket();
  const session = await t.api('POST', '/session', { ticket }, { Authorization: '' });
  expect(session).toMatchObject({ status: 200, body: { session: expect.any(String) as string } });
  expect(session.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Strict/);
  expect((await t.api('POST', '/session', { ticket }, { Authorization: '' })).status).toBe(401);
});

it('[WHO1.3] [HTTP3] creates a start link only for the token; it works once, for a minute', async () => {
  const t = await openApp();
  const made = await t.api<{ open: string; expiresAt: string }>('POST', '/tickets');
  expect(made).toMatchObject({ status: 201, body: { open: expect.any(String) as string } });
  expect(Date.parse(made.body.expiresAt) - t.clock.now()).toBe(60_000);
  const [origin, ticket] = made.body.open.split('/#ticket=');
  expect(origin).toBe(t.url);
  const redeem = (what: string | undefined) =>
    t.api<{ session: string }>('POST', '/session', { ticket: what }, { Authorization: '' });
  const session = await redeem(ticket);
  expect(session.status).toBe(200);
  expect((await redeem(ticket)).status).toBe(401);

  const late = await t.api<{ open: string }>('POST', '/tickets');
  t.clock.advance(60_000);
  expect((await redeem(late.body.open.split('=')[1])).status).toBe(401);
});
