import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PushDevice, PushList } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { givenSecretsKey } from '../providers/secrets-key.js';
import { closeApps, openApp, until, type AppFixture } from '../testing/app-fixture.js';
import { openHarbour, type Harbour } from '../testing/harbour.js';
import { add, audit } from '../testing/people.js';
import { openPushService, type PushService } from '../testing/push-service.js';
import { ask, signInAs } from '../testing/sign-in.js';
import type { Notice } from './compose-notice.js';

type Headers = Record<string, string>;

let service: PushService;
beforeEach(async () => {
  service = await openPushService();
});
afterEach(async () => {
  await closeApps();
  service.close();
});

const remove = (path: string) => ({ name: 'remove', arguments: { path } });

/** Someone with a browser that gets notifications. */
async function subscribe(t: AppFixture, name: string, role: string | null, worldRoles = {}) {
  const { id } = await add(t, name, role, worldRoles);
  const browser = await signInAs(t, id);
  const added = await ask<PushDevice>(t, 'POST', '/me/push', browser, service.device(id));
  expect(added.status).toBe(201);
  return { id, browser, device: added.body };
}

const openWithService = (more: object = {}): Promise<Harbour> => openHarbour({ push: service.route, ...more });
const deny = (t: AppFixture, { denial = '' }: Notice) => ask(t, 'POST', '/denials', {}, { code: denial });
const decide = (t: Harbour, approvalId: string | undefined, decision: string) =>
  t.api('POST', '/worlds/harbour/tool-results', { tool_call_id: approvalId, decision });
/** What was sent is remembered: by person, how many calls their device was told of last. */
const remembered = (t: AppFixture, wanted: Readonly<Record<string, number>>) =>
  until(
    async () => {
      const found = await t.engine.runtime.store.read((reader) => reader.subscriptions());
      const told = new Map(
        found.map(({ person, credential }) => [person.id, credential.data.push?.told['harbour']?.ids.length ?? 0]),
      );
      return Object.entries(wanted).every(([id, count]) => told.get(id) === count) ? true : undefined;
    },
    `${JSON.stringify(wanted)} is remembered`,
  );
/** Everything that was sent has arrived: the next message is this one. */
async function nothingMore(
  t: AppFixture,
  count: number,
  { browser, device }: { browser: Headers; device: PushDevice },
) {
  expect((await ask(t, 'POST', `/me/push/${device.id}/test`, browser)).status).toBe(204);
  expect(await service.last(count + 1)).toMatchObject({ tag: 'test' });
  expect(service.delivered).toHaveLength(count + 1);
}

describe('a call that waits', () => {
  it('[PUSH3] [PUSH3.1] is told to those who may sign it, once, as the card shows it, and withdrawn when it is decided', async () => {
    const t = await openWithService();
    const ann = await subscribe(t, 'Ann', null, { harbour: 'approver' });
    await subscribe(t, 'Vic', 'viewer');
    await subscribe(t, 'Eve', 'member');
    const password = 'correct-horse-9-battery';
    await t.propose({ name: 'remove', arguments: { password, note: '\u202Etxt' } });
    const notice = await service.last(1);
    expect(notice).toMatchObject({ tag: 'world:harbour', title: 'Harbour: Ada wants to run remove' });
    expect(notice.body).toMatch(/^note: ‹U\+202E›txt\npassword: \w{0,3}‹masked 1: \d+ characters›/u);
    const [approval] = await t.pending();
    expect(notice.path).toBe(`/w/harbour/c/${t.chat}?approval=${approval?.approvalId}`);
    expect(service.delivered[0]?.path).toBe(`/send/${ann.id}`);
    expect(service.delivered[0]?.headers).toMatchObject({
      urgency: 'high',
      'content-encoding': 'aes128gcm',
      authorization: expect.stringMatching(/^vapid t=/) as string,
    });
    await decide(t, approval?.approvalId, 'approve');
    expect(await service.last(2)).toMatchObject({ tag: 'world:harbour', closes: true, silent: true });
    await nothingMore(t, 2, ann);
    expect(t.errors).toEqual([]);
  });

  it('[PUSH3.2] is folded with others into one notification, and a flood is one', async () => {
    const t = await openWithService();
    const ann = await subscribe(t, 'Ann', 'approver');
    await t.propose(remove('first'));
    expect(await service.last(1)).toMatchObject({ body: 'first' });
    await t.api('POST', '/worlds/harbour/agents', { name: 'Bob', provider: 'scripted', model: 'any', tools: ['*'] });
    const { id } = (await t.api<{ id: string }>('POST', '/worlds/harbour/chats')).body;
    const calls = JSON.stringify(Array.from({ length: 20 }, (_, n) => remove(`more-${n}`)));
    await t.api('POST', `/worlds/harbour/chats/${id}/messages`, { content: `@bob ${calls}` });
    await t.api('POST', `/worlds/harbour/chats/${id}/messages`, { content: calls });
    await until(async () => ((await t.pending()).length > 20 ? true : undefined), 'all wait');
    await nothingMore(t, 1, ann);
    t.clock.advance(10_000);
    const folded = await service.last(3);
    expect(folded).toMatchObject({ title: `${(await t.pending()).length} calls wait in Harbour`, path: '/inbox' });
    expect(folded).not.toHaveProperty('denial');
    await decide(t, (await t.pending())[0]?.approvalId, 'deny');
    expect(await service.last(4)).toMatchObject({ silent: true });
  });

  it('[PUSH3.3] is sent by the next process if this one ends before it was sent', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-push-'));
    const file = join(folder, 'store.db');
    const secrets = givenSecretsKey('a secrets key that is long enough 0123456789', 'test');
    const first = await openWithService({ file, secrets });
    const ann = await subscribe(first, 'Ann', 'approver');
    service.answer(503);
    await first.propose(remove('late'));
    await until(async () => (service.asked() > 0 ? true : undefined), 'it was tried');
    await first.close();
    const stored = await readFile(file, 'latin1');
    expect(stored).toContain('sealed');
    for (const secret of [`/send/${ann.id}`, 'p256dh']) expect(stored).not.toContain(secret);

    service.answer(201);
    const second = await openApp({ file, secrets, push: service.route });
    expect(await service.last(1)).toMatchObject({ body: 'late' });
    const { store } = second.engine.runtime;
    const told = async () => (await store.read((r) => r.subscriptions()))[0]?.credential.usedAt ?? undefined;
    await until(told, 'that is remembered');
    await second.close();
    const third = await openApp({ file, secrets, push: service.route });
    await nothingMore(third, 1, await subscribe(third, 'Bob', 'viewer'));
    await third.close();
    await rm(folder, { recursive: true });
  });

  it('[PUSH3.5] is not told in quiet hours; what still waits is told once when they end, also after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-push-'));
    const file = join(folder, 'store.db');
    const secrets = givenSecretsKey('a secrets key that is long enough 0123456789', 'test');
    // 23:30 in Berlin.
    const now = Date.parse('2026-03-28T22:30:00Z');
    const first = await openWithService({ file, secrets, now });
    const ann = await subscribe(first, 'Ann', 'approver');
    await subscribe(first, 'Bob', 'approver');
    const path = `/me/push/${ann.device.id}`;
    const quietHours = { from: '23:00', until: '07:00', timeZone: 'Europe/Berlin' };
    await first.propose(remove('before'));
    await service.last(2);
    const set = await ask<PushDevice>(first, 'PATCH', path, ann.browser, { quietHours });
    expect(set.body).toEqual({ ...ann.device, usedAt: expect.any(String) as string, quietHours });
    const toAnn = () => service.delivered.filter((each) => each.path === `/send/${ann.id}`).map(({ notice }) => notice);
    // What ends is withdrawn, which makes no sound.
    await decide(first, (await first.pending())[0]?.approvalId, 'deny');
    await until(async () => (toAnn().length === 2 ? true : undefined), 'it was withdrawn');
    expect(toAnn()[1]).toMatchObject({ closes: true, silent: true });
    await first.settled();
    first.clock.advance(60_000);
    await first.propose(remove('one'), remove('two'), remove('three'));
    await remembered(first, { ann: 0, bob: 3 });
    await decide(first, (await first.pending())[0]?.approvalId, 'deny');
    await remembered(first, { bob: 2 });
    await first.close();

    const second = await openApp({ file, secrets, push: service.route, now: now + 3_600_000 });
    // The clocks go forward in this night: they end at 05:00 UTC.
    second.clock.advance(Date.parse('2026-03-29T04:59:59Z') - second.clock.now());
    await nothingMore(second, service.delivered.length, await subscribe(second, 'Vic', 'viewer'));
    expect(toAnn()).toHaveLength(2);
    second.clock.advance(1_000);
    await until(async () => (toAnn().length === 3 ? true : undefined), 'Ann is told');
    expect(toAnn()[2]).toMatchObject({ title: '2 calls wait in Harbour' });
    expect(toAnn()[2]).not.toHaveProperty('silent');
    await remembered(second, { ann: 2 });
    await second.close();
    const third = await openApp({ file, secrets, push: service.route, now: second.clock.now() + 60_000 });
    await nothingMore(third, service.delivered.length, await subscribe(third, 'Eve', 'viewer'));
    expect(toAnn()).toHaveLength(3);
    await third.close();
    await rm(folder, { recursive: true });
  });

  it('[PUSH3.5] is told at once when its person ends the quiet hours', async () => {
    const t = await openWithService();
    const ann = await subscribe(t, 'Ann', 'approver');
    const path = `/me/push/${ann.device.id}`;
    for (const [bad, field] of [
      [{ from: '22:00', until: '22:00', timeZone: 'UTC' }, 'until'],
      [{ from: '22:00', until: '24:00', timeZone: 'UTC' }, 'quietHours.until'],
      [{ from: '22:00', until: '07:00', timeZone: 'Mars/Base' }, 'timeZone'],
    ] as const) {
      const { status, body } = await ask(t, 'PATCH', path, ann.browser, { quietHours: bad });
      expect({ status, field: body['field'] }).toEqual({ status: 422, field });
    }
    const bob = await subscribe(t, 'Bob', 'viewer');
    const quietHours = { from: '00:00', until: '23:59', timeZone: 'UTC' };
    expect((await ask(t, 'PATCH', path, bob.browser, { quietHours })).status).toBe(404);
    await ask(t, 'PATCH', path, ann.browser, { quietHours });
    await t.propose(remove('x'));
    await nothingMore(t, 0, ann);
    const { body } = await ask(t, 'PATCH', path, ann.browser, { quietHours: null });
    expect(body).not.toHaveProperty('quietHours');
    expect(await service.last(2)).toMatchObject({ body: 'x' });
    expect(JSON.stringify(await audit(t))).toContain('00:00 to 23:59, UTC');
    // Each change is recorded.
    const change = async () => (await ask(t, 'PATCH', path, ann.browser, { quietHours: null })).status;
    const statuses = [];
    for (let times = 0; times < 20; times += 1) statuses.push(await change());
    expect([statuses[0], statuses.at(-1)]).toEqual([200, 429]);
    t.clock.advance(60_000);
    expect(await change()).toBe(200);
  });

  it('[PUSH3.6] is told to the next group if nobody has decided after some minutes, once, also after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-push-'));
    const file = join(folder, 'store.db');
    const secrets = givenSecretsKey('a secrets key that is long enough 0123456789', 'test');
    const more = { file, secrets, tellAfter: { leads: 10 * 60_000, heads: 20 * 60_000 } };
    const first = await openWithService(more);
    await subscribe(first, 'Ann', 'approver');
    const lee = await subscribe(first, 'Lee', 'approver');
    const vic = await subscribe(first, 'Vic', 'viewer');
    await first.api('PUT', '/groups/leads', { people: [lee.id, vic.id] });
    await first.api('PUT', '/groups/heads', { people: [lee.id] });
    await first.propose(remove('in time'));
    await service.last(1);
    first.clock.advance(5 * 60_000);
    await decide(first, (await first.pending())[0]?.approvalId, 'deny');
    await first.settled();
    await first.propose(remove('late'));
    await service.last(3);
    await remembered(first, { ann: 1 });
    await first.close();

    const second = await openApp({ ...more, push: service.route, now: first.clock.now() });
    second.clock.advance(10 * 60_000 - 1);
    const eve = await subscribe(second, 'Eve', 'viewer');
    await nothingMore(second, 3, eve);
    expect(service.delivered.map(({ path }) => path)).not.toContain(`/send/${lee.id}`);
    second.clock.advance(1);
    expect(await service.last(5)).toMatchObject({
      title: 'Harbour: Ada wants to run remove, for 10 minutes',
      body: 'late',
    });
    expect(service.delivered[4]?.path).toBe(`/send/${lee.id}`);
    second.clock.advance(60 * 60_000);
    await nothingMore(second, 5, eve);
    await second.close();
    await rm(folder, { recursive: true });
  });

  it('[PUSH3.6] is told at once to a group that has the name of something that every object has', async () => {
    const t = await openWithService({ tellAfter: { leads: 60_000 } });
    const ann = await subscribe(t, 'Ann', 'approver');
    expect((await t.api('PUT', '/groups/constructor', { people: [ann.id] })).status).toBe(200);
    await t.propose(remove('x'));
    expect(await service.last(1)).toMatchObject({ body: 'x' });
  });

  it('[PUSH3.3] is sent again after a failure, later each time, and not if the push service refuses it', async () => {
    const t = await openWithService();
    await subscribe(t, 'Ann', 'approver');
    service.answer(429);
    await t.propose(remove('busy'));
    for (const [count, ms] of [
      [1, 5_000],
      [2, 10_000],
      [3, 20_000],
    ] as const) {
      await until(async () => (service.asked() === count ? true : undefined), `it was tried ${count} times`);
      if (count === 3) service.answer(201);
      // The timer is set after the answer.
      await until(async () => {
        t.clock.advance(ms / 5);
        return service.asked() > count ? true : undefined;
      }, 'it was tried again');
    }
    expect(await service.last(1)).toMatchObject({ body: 'busy' });
  });
});

describe('a subscription', () => {
  it('[PUSH1] [HTTP3.7] belongs to a person and a device, is listed without its endpoint, tested, removed and recorded', async () => {
    const t = await openWithService();
    const ann = await subscribe(t, 'Ann', 'approver');
    const bob = await subscribe(t, 'Bob', 'approver');
    const list = async (who: Headers) => (await ask<PushList>(t, 'GET', '/me/push', who)).body;
    const listed = await list(ann.browser);
    expect(listed.items).toEqual([ann.device]);
    expect(ann.device).toMatchObject({ service: '127.0.0.1', current: true });
    expect(Buffer.from(listed.publicKey, 'base64url')).toHaveLength(65);
    expect((await list(bob.browser)).publicKey).toBe(listed.publicKey);
    expect((await ask(t, 'DELETE', `/me/push/${ann.device.id}`, bob.browser)).status).toBe(404);
    expect((await ask(t, 'POST', `/me/push/${ann.device.id}/test`, bob.browser)).status).toBe(404);
    await nothingMore(t, 0, ann);
    expect((await list(ann.browser)).items[0]).not.toHaveProperty('endpoint');
    expect((await ask(t, 'DELETE', `/me/push/${ann.device.id}`, ann.browser)).status).toBe(204);
    expect((await list(ann.browser)).items).toEqual([]);
    const records = JSON.stringify(await audit(t));
    for (const said of ['notifications turned on', 'notifications turned off']) expect(records).toContain(said);
    expect(records).not.toContain('/send/');
    expect((await t.api('POST', '/me/push', service.device())).status).toBe(403);
  });

  it('[PUSH1.1] is replaced by that of the next person in the same browser', async () => {
    const t = await openWithService();
    const ann = await subscribe(t, 'Ann', 'approver');
    const bob = await signInAs(t, (await add(t, 'Bob', 'approver')).id);
    // A browser has one endpoint for all who sign in.
    const { endpoint, keys } = service.device(ann.id);
    expect((await ask(t, 'POST', '/me/push', bob, { endpoint, keys })).status).toBe(201);
    expect((await ask<PushList>(t, 'GET', '/me/push', ann.browser)).body.items).toEqual([]);
  });

  it.each<[string, (t: Harbour, who: Awaited<ReturnType<typeof subscribe>>) => Promise<unknown>]>([
    ['its session', (t, { browser }) => endSession(t, browser)],
    ['its person, who is disabled', (t, { id }) => t.api('PATCH', `/people/${id}`, { status: 'disabled' })],
    ['its person, who is removed', (t, { id }) => t.api('DELETE', `/people/${id}`)],
  ])('[PUSH1.2] ends with %s', async (_, end) => {
    const t = await openWithService();
    const ann = await subscribe(t, 'Ann', 'approver');
    const bob = await subscribe(t, 'Bob', 'approver');
    await end(t, ann);
    await t.propose(remove('secret plans'));
    expect(await service.last(1)).toMatchObject({ body: 'secret plans' });
    await nothingMore(t, 1, bob);
    expect(service.delivered.map(({ path }) => path)).not.toContain(`/send/${ann.id}`);
  });

  it('[PUSH1.2] gets nothing after its session has expired, although nobody ended it', async () => {
    const t = await openWithService({ lifetimes: { idleMs: 60_000, mostMs: 600_000 } });
    const ann = await subscribe(t, 'Ann', 'approver');
    t.clock.advance(61_000);
    const bob = await subscribe(t, 'Bob', 'approver');
    await t.propose(remove('x'));
    await service.last(1);
    await nothingMore(t, 1, bob);
    expect(service.delivered.map(({ path }) => path)).not.toContain(`/send/${ann.id}`);
  });

  it('[PUSH3.1] gets no more than its person may see: a call is withdrawn when their role ends', async () => {
    const t = await openWithService();
    const ann = await subscribe(t, 'Ann', null, { harbour: 'approver' });
    await t.propose(remove('x'));
    await service.last(1);
    await t.api('PATCH', `/people/${ann.id}`, { worldRoles: { harbour: 'viewer' } });
    expect(await service.last(2)).toMatchObject({ closes: true });
  });

  it('[PUSH3.1] tells a call that certain people must sign only to them, and not to those who have signed', async () => {
    const t = await openWithService();
    const ann = await subscribe(t, 'Ann', 'approver');
    const bob = await subscribe(t, 'Bob', 'approver');
    const { headers } = await t.api('GET', '/worlds/harbour/policy');
    await t.api('PUT', '/groups/crew', { people: [ann.id, bob.id] });
    const rules = ['ask remove by 2 of @crew'];
    await t.api('PUT', '/worlds/harbour/policy', { rules }, { 'If-Match': headers.get('etag') ?? '' });
    const eve = await subscribe(t, 'Eve', 'approver');
    await t.propose(remove('x'));
    await service.last(2);
    const [approval] = await t.pending();
    const body = { tool_call_id: approval?.approvalId, decision: 'approve', callHash: approval?.callHash };
    expect((await ask(t, 'POST', '/worlds/harbour/tool-results', ann.browser, body)).status).toBe(200);
    expect(await service.last(3)).toMatchObject({ closes: true });
    expect(service.delivered.map(({ path }) => path).toSorted()).toEqual(
      [`/send/${ann.id}`, `/send/${ann.id}`, `/send/${bob.id}`].toSorted(),
    );
    await nothingMore(t, 3, eve);
  });

  it.each([404, 410])('[PUSH2.2] is removed quietly if the push service answers %i', async (status) => {
    const t = await openWithService();
    const ann = await subscribe(t, 'Ann', 'approver');
    service.answer(status);
    await t.propose(remove('x'));
    await until(async () => {
      const { items } = (await ask<PushList>(t, 'GET', '/me/push', ann.browser)).body;
      return items.length === 0 ? true : undefined;
    }, 'the device is gone');
    expect((await ask(t, 'POST', `/me/push/${ann.device.id}/test`, ann.browser)).status).toBe(404);
    expect(t.errors).toEqual([]);
  });
});

async function endSession(t: Harbour, browser: Headers): Promise<void> {
  const { items } = (await ask<{ items: { id: string; current: boolean }[] }>(t, 'GET', '/me/sessions', browser)).body;
  await ask(t, 'DELETE', `/me/sessions/${items.find(({ current }) => current)?.id}`, browser);
}

describe('an endpoint', () => {
  it.each([
    'http://fcm.googleapis.com/send/x',
    'https://user:secret@fcm.googleapis.com/send/x',
    'https://fcm.googleapis.com:8443/send/x',
    'https://fcm.googleapis.com.evil.example/send/x',
    'https://evilnotify.windows.com/send/x',
    'https://fcm.googleapis.com./send/x',
    'https://127.0.0.1/send/x',
    'https://[::1]/send/x',
    'https://169.254.169.254/latest/meta-data',
    'https://intranet.example/send/x',
    'file:///etc/passwd',
    'no URL',
  ])('[PUSH2] %s is refused', async (endpoint) => {
    const t = await openWithService();
    const browser = await signInAs(t, (await add(t, 'Ann', 'approver')).id);
    const { status, body } = await ask(t, 'POST', '/me/push', browser, { ...service.device(), endpoint });
    expect({ status, field: body['field'] }).toEqual({ status: 422, field: 'endpoint' });
    expect(JSON.stringify(body)).not.toMatch(/secret|meta-data/);
  });

  it.each([
    ['a private address', '10.0.0.1', []],
    ['this machine', '127.0.0.1', []],
    ['the metadata service', '169.254.169.254', []],
    ['the metadata service, although it is named', '169.254.169.254', ['fcm.googleapis.com:443']],
    ['the metadata service over IPv6', 'fd00:ec2::254', ['fcm.googleapis.com:443']],
  ])('[PUSH2.1] whose name leads to %s gets nothing', async (_, address, named) => {
    const network = {
      resolve: async () => [{ address, family: address.includes(':') ? 6 : 4 }],
      mayConnect: () => false,
    };
    const t = await openHarbour({ push: { ...service.route, named, network } });
    const browser = await signInAs(t, (await add(t, 'Ann', 'approver')).id);
    const device = { ...service.device(), endpoint: 'https://fcm.googleapis.com/send/x' };
    const { body } = await ask<PushDevice>(t, 'POST', '/me/push', browser, device);
    expect((await ask(t, 'POST', `/me/push/${body.id}/test`, browser)).status).toBe(503);
  });

  it('[PUSH2.1] that redirects gets nothing more', async () => {
    const t = await openWithService();
    const other = await openPushService();
    const ann = await subscribe(t, 'Ann', 'approver');
    service.answer(307, { location: other.device('x').endpoint });
    expect((await ask(t, 'POST', `/me/push/${ann.device.id}/test`, ann.browser)).status).toBe(503);
    expect([service.asked(), other.asked()]).toEqual([1, 0]);
    other.close();
  });
});

describe('the code in a notification', () => {
  it('[PUSH4] denies the call as its person, once, and does nothing else', async () => {
    const t = await openWithService();
    await subscribe(t, 'Ann', 'approver');
    await t.propose(remove('x'));
    const notice = await service.last(1);
    const [approval] = await t.pending();
    const approve = { code: notice.denial, decision: 'approve' };
    expect((await ask(t, 'POST', '/denials', {}, approve)).status).toBe(422);
    for (const path of ['/me', '/worlds/harbour/approvals'])
      expect((await ask(t, 'GET', path, { Authorization: `Bearer ${notice.denial}` })).status).toBe(401);
    expect((await deny(t, notice)).status).toBe(204);
    expect(await t.settled()).toBe('idle');
    expect(t.runs).toEqual([]);
    const { items } = (await t.api<{ items: object[] }>('GET', '/worlds/harbour/audit?who=ann')).body;
    expect(items).toMatchObject([
      { decision: 'deny', who: { kind: 'person', name: 'Ann' }, via: 'notification on a browser' },
    ]);
    expect((await deny(t, notice)).status).toBe(409);
    await t.propose(remove('x'));
    const [again] = await t.pending();
    expect(again?.approvalId).not.toBe(approval?.approvalId);
    expect((await deny(t, notice)).status).toBe(409);
    expect(await t.pending()).toHaveLength(1);
  });

  it('[PUSH4] is refused if it was changed, or belongs to another server', async () => {
    const t = await openWithService();
    await subscribe(t, 'Ann', 'approver');
    await t.propose(remove('x'));
    const { denial = '' } = await service.last(1);
    const [about = '', mac = ''] = denial.split('.');
    const [subscription, , ...rest] = JSON.parse(Buffer.from(about, 'base64url').toString()) as string[];
    const forged = Buffer.from(JSON.stringify([subscription, 'another', ...rest])).toString('base64url');
    for (const code of [`${forged}.${mac}`, `${about}.`, about, `${denial}.x`, '.', 'x.y'])
      expect((await ask(t, 'POST', '/denials', {}, { code })).status).toBe(404);
    const other = await openHarbour({ push: service.route });
    expect((await ask(other, 'POST', '/denials', {}, { code: denial })).status).toBe(404);
    expect(await t.pending()).toHaveLength(1);
  });

  it('[PUSH4.1] ends when the call changes', async () => {
    const t = await openWithService();
    await subscribe(t, 'Ann', 'approver');
    await t.propose(remove('x'));
    const notice = await service.last(1);
    const [approval] = await t.pending();
    const edit = { tool_call_id: approval?.approvalId, decision: 'approve', arguments: { path: 'y' } };
    expect((await t.api('POST', '/worlds/harbour/tool-results', edit)).status).toBe(409);
    expect((await deny(t, notice)).status).toBe(409);
    expect(await t.pending()).toHaveLength(1);
  });

  it.each<[string, (t: Harbour, who: Awaited<ReturnType<typeof subscribe>>) => Promise<unknown>]>([
    ['the subscription', (t, { browser, device }) => ask(t, 'DELETE', `/me/push/${device.id}`, browser)],
    ['the session', (t, { browser }) => endSession(t, browser)],
    ["the person's account", (t, { id }) => t.api('PATCH', `/people/${id}`, { status: 'disabled' })],
    ["the person's right to sign", (t, { id }) => t.api('PATCH', `/people/${id}`, { role: 'viewer' })],
  ])('[PUSH4.1] ends with %s', async (_, end) => {
    const t = await openWithService();
    const ann = await subscribe(t, 'Ann', 'approver');
    await t.propose(remove('x'));
    const notice = await service.last(1);
    await end(t, ann);
    expect((await deny(t, notice)).status).toBe(403);
    expect(await t.pending()).toHaveLength(1);
  });
});
