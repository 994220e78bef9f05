import { readFile, rm, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SavedWebhook, Webhook, WebhookDelivery } from '@countersign/protocol';
import { Webhook as Verifier } from 'standardwebhooks';
import type { FakeClock } from '@countersign/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSecretBox } from '../providers/secret-box.js';
import { givenSecretsKey } from '../providers/secrets-key.js';
import { closeApps, openApp, until } from '../testing/app-fixture.js';
import { openHarbour, remove, type Harbour } from '../testing/harbour.js';
import { add, audit, tokenOf } from '../testing/people.js';
import { ask, signInAs } from '../testing/sign-in.js';
import { createSoftPasskey, insertPasskey } from '../testing/soft-passkey.js';
import { openWebhookReceiver, type WebhookReceiver } from '../testing/webhook-receiver.js';
import { createWebhooks } from './webhooks.js';

let receiver: WebhookReceiver;
beforeEach(async () => {
  receiver = await openWebhookReceiver();
});
afterEach(async () => {
  await closeApps();
  receiver.close();
});

const ALL = ['approval.requested', 'approval.decided', 'approval.expired', 'call.failed', 'chat.idle'];
const open = (more: object = {}): Promise<Harbour> => openHarbour({ webhooks: receiver.route, ...more });
const decide = (t: Harbour, approvalId: string | undefined, decision: string) =>
  t.api('POST', '/worlds/harbour/tool-results', { tool_call_id: approvalId, decision });

async function hook(t: Harbour, more: object = {}): Promise<SavedWebhook> {
  const given = { url: receiver.url, events: ['approval.requested'], ...more };
  const { status, body } = await t.api<SavedWebhook>('POST', '/webhooks', given);
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
}

type Received = Awaited<ReturnType<WebhookReceiver['last']>>;

const signaturesOf = ({ headers }: Received) => String(headers['webhook-signature']).split(' ');
/** What another implementation of Standard Webhooks computes. */
const signature = (secret: string, { headers, body }: Received) =>
  new Verifier(secret).sign(String(headers['webhook-id']), new Date(Number(headers['webhook-timestamp']) * 1000), body);

const deliveries = async (t: Harbour, id: string, state = '') =>
  (await t.api<{ items: WebhookDelivery[] }>('GET', `/webhooks/${id}/deliveries${state}`)).body.items;

/** Proposes a call after denying the one before it, for which the agent would wait. */
async function proposeNext(t: Harbour, path: string): Promise<void> {
  for (const { approvalId } of await t.pending()) await decide(t, approvalId, 'deny');
  await t.settled();
  await t.propose(remove(path));
}

/** Advances the time until something happens. */
const passUntil = (t: { clock: FakeClock }, ms: number, has: () => boolean | Promise<boolean>) =>
  until(async () => {
    t.clock.advance(ms);
    return (await has()) ? true : undefined;
  }, 'the time has come');

const failing = (t: Harbour, id: string, attempts: number) =>
  until(async () => {
    const [first] = await deliveries(t, id);
    return first?.attempts === attempts && first.problem !== undefined ? first : undefined;
  }, `attempt ${attempts} failed`);

it('[HOOK1.4] a credential without the right to read, and an old session, can’t say where messages are sent', async () => {
  const t = await open();
  const given = { url: receiver.url, events: ['approval.requested'] };
  const limited = await tokenOf(t, 'Limited', 'admin', ['admin']);
  expect((await t.api('POST', '/webhooks', given, limited)).status).toBe(403);
  const { id } = await hook(t);
  expect((await t.api('PATCH', `/webhooks/${id}`, { url: receiver.url }, limited)).status).toBe(403);
  expect((await t.api('PATCH', `/webhooks/${id}`, { active: false }, limited)).status).toBe(200);
  const boss = await add(t, 'Boss', 'admin');
  const session = await signInAs(t, boss.id);
  await insertPasskey(t.engine.runtime.store, boss.id, createSoftPasskey());
  t.clock.advance(6 * 60_000);
  expect((await ask(t, 'POST', '/webhooks', session, given)).status).toBe(409);
  expect((await ask(t, 'PATCH', `/webhooks/${id}`, session, { url: receiver.url })).status).toBe(409);
});

describe('[HOOK1.3] a webhook is told', () => {
  it('[HOOK3.1] [HOOK4] what waits and what was decided, signed, masked, with a link and nothing that decides', async () => {
    const t = await open();
    const { id, secret = '' } = await hook(t, { events: ALL });
    await t.propose({ name: 'remove', arguments: { password: 'correct-horse-9-battery', note: '\u202Etxt' } });
    const [approval] = await t.pending();
    const last = await receiver.last(1);
    const { message, body, headers } = last;
    expect(signaturesOf(last)).toEqual([signature(secret, last)]);
    expect(headers['webhook-id']).toBe((await deliveries(t, id))[0]?.id);
    expect(message).toEqual({
      type: 'approval.requested',
      timestamp: expect.any(String) as string,
      data: {
        world: { id: 'harbour', name: 'Harbour' },
        chat: t.chat,
        title: 'Harbour: Ada wants to run remove',
        text: expect.stringMatching(/^note: ‹U\+202E›txt\npassword: \w{0,3}‹masked 1/u) as string,
        url: `https://countersign.example/w/harbour/c/${t.chat}?approval=${approval?.approvalId}`,
        approval: { id: approval?.approvalId, status: 'pending' },
        call: { id: approval?.toolCallId, tool: 'remove', agent: 'Ada' },
      },
    });
    expect(body).not.toContain(approval?.callHash);
    await decide(t, approval?.approvalId, 'approve');
    await receiver.last(3);
    const [, decided, idle] = receiver.received.map((each) => each.message);
    expect(decided).toMatchObject({ type: 'approval.decided', data: { approval: { status: 'approved' } } });
    expect(decided?.data.title).toMatch(/^Harbour: remove was approved by /);
    expect(idle).toMatchObject({ type: 'chat.idle', data: { chat: t.chat } });
    expect(t.errors).toEqual([]);
  });

  it('what failed, but no question about calls that a rule settles, and nothing from before or of other worlds', async () => {
    const failing = { name: 'fail', description: 'x', parameters: { type: 'object' }, location: 'server' } as const;
    const t = await open({
      tools: [
        {
          definition: { ...failing, approval: { required: true } },
          trusted: true,
          validate: (value: unknown) => ({ ok: true, value }),
          execute: () => Promise.reject(new Error('the password=hunter2-is-long is wrong')),
        },
      ],
    });
    await t.api('POST', '/worlds', { name: 'Other' });
    await t.propose(remove('before'));
    await hook(t, { events: ALL, worlds: ['other'] });
    await hook(t, { events: ['approval.requested', 'approval.decided', 'call.failed'], worlds: ['harbour'] });
    const { headers } = await t.api('GET', '/worlds/harbour/policy');
    const rules = ['allow fail', 'deny remove(path=forbidden)'];
    await t.api('PUT', '/worlds/harbour/policy', { rules }, { 'If-Match': headers.get('etag') ?? '' });
    const { id } = (await t.api<{ id: string }>('POST', '/worlds/harbour/chats')).body;
    const calls = JSON.stringify([{ name: 'fail', arguments: {} }, remove('forbidden')]);
    await t.api('POST', `/worlds/harbour/chats/${id}/messages`, { content: calls });
    const { message } = await receiver.last(1);
    expect(message).toMatchObject({ type: 'call.failed', data: { title: 'Harbour: fail of Ada failed', chat: id } });
    expect(message.data.text).not.toContain('hunter2');
    expect(receiver.received).toHaveLength(1);
  });

  it('[HOOK4.1] a call that nobody has decided after some minutes, once, and not one that was decided', async () => {
    const t = await open();
    const { id } = await hook(t, { events: ['approval.overdue'], overdueMinutes: 10 });
    await t.propose(remove('a'), remove('b'));
    const [first, second] = await t.pending();
    await until(async () => ((await deliveries(t, id)).length === 2 ? true : undefined), 'both are planned');
    t.clock.advance(9 * 60_000);
    await decide(t, first?.approvalId, 'deny');
    expect(receiver.received).toEqual([]);
    t.clock.advance(60_000);
    const { message } = await receiver.last(1);
    expect(message).toMatchObject({ data: { approval: { id: second?.approvalId, status: 'pending' } } });
    expect(message.data.title).toBe('Harbour: Ada wants to run remove, for 10 minutes');
    await until(async () => ((await deliveries(t, id, '?state=pending')).length === 0 ? true : undefined), 'all ended');
    expect((await deliveries(t, id)).map(({ state }) => state).toSorted()).toEqual(['dropped', 'sent']);
  });
});

describe('a receiver', () => {
  it.each<[string, Parameters<WebhookReceiver['answer']>[0], string, object?]>([
    ['fails', (response) => void response.writeHead(500).end(), 'status 500'],
    ['is gone', (response) => void response.destroy(), 'ECONNRESET'],
    ['hangs', undefined, 'no answer in time', { timeoutMs: 100 }],
    [
      'redirects to a private address',
      (response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      'status 302',
    ],
    [
      'answers without end',
      (response) => void response.writeHead(500, { 'content-type': 'text/plain' }).write('x'.repeat(100_000)),
      'status 500',
    ],
  ])(
    '[HOOK2.2] [HOOK3.3] that %s gets the message again, later each time, with the same id',
    async (_, how, problem, more = {}) => {
      const t = await open({ webhooks: { ...receiver.route, ...more } });
      const { id } = await hook(t);
      receiver.answer(how);
      await t.propose(remove('x'));
      const first = await failing(t, id, 1);
      expect(first.problem).toBe(problem);
      const wait = (each: WebhookDelivery) => Date.parse(each.nextAt ?? '') - t.clock.now();
      expect(wait(first)).toBe(5_000);
      t.clock.advance(5_000);
      expect(wait(await failing(t, id, 2))).toBe(20_000);
      receiver.answer((response) => void response.writeHead(200).end());
      t.clock.advance(20_000);
      const ids = (await receiver.last(3), receiver.received.map(({ headers }) => headers['webhook-id']));
      expect(new Set(ids)).toEqual(new Set([first.id]));
    },
  );

  it('[HOOK3.3] [HOOK3.4] that fails ten times has dead letters, which can be sent again', async () => {
    const t = await open();
    const { id } = await hook(t);
    receiver.answer((response) => void response.writeHead(503).end());
    await t.propose(remove('x'));
    for (let attempt = 1; attempt < 10; attempt += 1) {
      const { nextAt = '' } = await failing(t, id, attempt);
      t.clock.advance(Date.parse(nextAt) - t.clock.now());
    }
    const dead = await failing(t, id, 10);
    expect(dead).toMatchObject({ state: 'dead', problem: 'status 503' });
    expect(await deliveries(t, id, '?state=dead')).toEqual([dead]);
    receiver.answer((response) => void response.writeHead(200).end());
    expect((await t.api('POST', `/webhooks/${id}/replay`)).body).toEqual({ replayed: 1 });
    expect((await receiver.last(11)).headers['webhook-id']).toBe(dead.id);
    await until(async () => ((await deliveries(t, id))[0]?.state === 'sent' ? true : undefined), 'it was sent');
    expect((await t.api('POST', `/webhooks/${id}/replay`, { delivery: dead.id })).body).toEqual({ replayed: 1 });
    await receiver.last(12);
    expect((await t.api('POST', `/webhooks/${id}/replay`, { delivery: 'none' })).status).toBe(404);
  });

  it('[HOOK3] [HOOK3.2] gets what a process that ended did not send, and not what was sent', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-webhooks-'));
    const file = join(folder, 'store.db');
    const secrets = givenSecretsKey('a secrets key that is long enough 0123456789', 'test');
    const first = await open({ file, secrets });
    await hook(first);
    await first.propose(remove('sent'));
    const { headers } = await receiver.last(1);
    receiver.answer(undefined);
    await proposeNext(first, 'late');
    await receiver.last(2);
    // The lease of the attempt outlives the process.
    await first.close();
    const stored = await readFile(file, 'latin1');
    for (const secret of ['of-the-receiver', 'whsec_']) expect(stored).not.toContain(secret);
    receiver.answer((response) => void response.writeHead(200).end());
    const second = await openApp({ file, secrets, webhooks: receiver.route, now: first.clock.now() });
    await passUntil(second, 10_000, () => receiver.received.length > 2);
    const [, late, again] = receiver.received;
    expect(again?.headers['webhook-id']).toBe(late?.headers['webhook-id']);
    expect(again?.headers['webhook-id']).not.toBe(headers['webhook-id']);
    await second.close();
    await rm(folder, { recursive: true });
  });
});

it('[HOOK3] [HOOK3.2] several processes that look at the same log and deliveries send each message once', async () => {
  const secrets = givenSecretsKey('a secrets key that is long enough 0123456789', 'test');
  const t = await open({ secrets });
  const others = [1, 2, 3].map(() =>
    createWebhooks({
      runtime: t.engine.runtime,
      box: createSecretBox(secrets),
      route: receiver.route,
      publicUrl: () => 'https://countersign.example',
      log: { error: (message) => expect.fail(message) },
    }),
  );
  for (const other of others) other.start();
  const { id } = await hook(t);
  await t.propose(...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(remove));
  const sent = async () => (await deliveries(t, id, '?state=sent')).length === 7;
  await until(async () => ((await sent()) ? true : undefined), 'all were sent');
  const ids = receiver.received.map(({ headers }) => String(headers['webhook-id']));
  expect(ids).toHaveLength(7);
  expect(new Set(ids).size).toBe(7);
  for (const other of others) other.close();
});

describe('[HOOK1] [HTTP4.3] a webhook', () => {
  it('[HOOK1.1] never shows its URL, and its secret only once; a rotated one is valid for a day', async () => {
    const t = await open();
    const { id, secret = '' } = await hook(t);
    const { text } = await t.api('GET', '/webhooks');
    expect(text).toContain(new URL(receiver.url).origin);
    expect(text).not.toMatch(/of-the-receiver|whsec_/);
    const rotated = (await t.api<SavedWebhook>('PATCH', `/webhooks/${id}`, { rotateSecret: true })).body;
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(secret);
    await t.propose(remove('x'));
    const both = await receiver.last(1);
    expect(signaturesOf(both)).toEqual([signature(rotated.secret ?? '', both), signature(secret, both)]);
    t.clock.advance(24 * 60 * 60 * 1000);
    await proposeNext(t, 'y');
    const one = await receiver.last(2);
    expect(signaturesOf(one)).toEqual([signature(rotated.secret ?? '', one)]);
    const records = JSON.stringify(await audit(t));
    expect(records).toContain('webhook added');
    expect(records).not.toMatch(/of-the-receiver|whsec_/);
  });

  it('[HOOK1.2] is told nothing after its person is no admin anymore, and nothing while it is paused', async () => {
    const t = await open();
    const { id } = await add(t, 'Ann', 'admin');
    const ann = await signInAs(t, id);
    const made = await ask<SavedWebhook>(t, 'POST', '/webhooks', ann, {
      url: receiver.url,
      events: ['approval.requested'],
    });
    expect(made.body).toMatchObject({ owner: id });
    await t.propose(remove('one'));
    await receiver.last(1);
    receiver.answer((response) => void response.writeHead(500).end());
    await proposeNext(t, 'two');
    await failing(t, made.body.id, 1);
    await t.api('PATCH', `/people/${id}`, { role: 'member' });
    await proposeNext(t, 'three');
    await passUntil(t, 5_000, async () => (await deliveries(t, made.body.id))[0]?.state === 'dropped');
    await t.api('PATCH', `/people/${id}`, { role: 'admin' });
    await t.api('PATCH', `/webhooks/${made.body.id}`, { active: false });
    await proposeNext(t, 'four');
    receiver.answer((response) => void response.writeHead(200).end());
    await t.api('PATCH', `/webhooks/${made.body.id}`, { active: true });
    await proposeNext(t, 'five');
    expect((await receiver.last(3)).message.data.text).toBe('five');
    expect(await deliveries(t, made.body.id)).toHaveLength(3);
  });

  it('[HOOK4.1] drops what was deleted before it was sent', async () => {
    const t = await open();
    const { id } = await hook(t);
    receiver.answer((response) => void response.writeHead(500).end());
    await t.propose(remove('x'));
    await failing(t, id, 1);
    expect((await t.api('DELETE', `/worlds/harbour/chats/${t.chat}`)).status).toBe(204);
    await passUntil(t, 5_000, async () => (await deliveries(t, id))[0]?.state === 'dropped');
    expect((await t.api('DELETE', `/webhooks/${id}`)).status).toBe(204);
    expect((await t.api<{ items: Webhook[] }>('GET', '/webhooks')).body.items).toEqual([]);
    expect((await t.api('GET', `/webhooks/${id}/deliveries`)).status).toBe(404);
  });

  it.each([
    'http://hooks.example/x',
    'https://user:secret@hooks.example/x',
    'https://127.0.0.1/secret',
    'https://[::1]/secret',
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.7/secret',
    'ftp://hooks.example/secret',
    'file:///etc/secret',
    'no URL',
  ])('[HOOK2] [HOOK2.1] with the URL %s is refused', async (url) => {
    const t = await open({ webhooks: { named: ['169.254.169.254:443'] } });
    const { status, body } = await t.api('POST', '/webhooks', { url, events: ['chat.idle'] });
    expect({ status, field: body['field'] }).toEqual({ status: 422, field: 'url' });
    expect(JSON.stringify(body)).not.toMatch(/secret|meta-data/);
  });

  it('[HOOK2.1] whose name leads to a private address later gets nothing', async () => {
    let address = '203.0.113.7';
    const resolve = async () => [{ address, family: 4 }];
    const network = { resolve, mayConnect: (to: string) => to === '203.0.113.7' };
    const t = await open({ webhooks: { named: [], network } });
    const { id } = await hook(t, { url: 'https://hooks.example/x' });
    address = '127.0.0.1';
    await t.propose(remove('x'));
    expect(await failing(t, id, 1)).toMatchObject({
      problem: expect.stringContaining('not a public address') as string,
    });
  });
});
