import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PushDevice, SavedWebhook, WebhookDelivery } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { givenSecretsKey } from '../../packages/server/src/providers/secrets-key.js';
import { closeApps, until } from '../../packages/server/src/testing/app-fixture.js';
import { openHarbour, type Harbour } from '../../packages/server/src/testing/harbour.js';
import { add } from '../../packages/server/src/testing/people.js';
import { openPushService, type PushService } from '../../packages/server/src/testing/push-service.js';
import { ask, openLinked, signInAs } from '../../packages/server/src/testing/sign-in.js';
import { openWebhookReceiver } from '../../packages/server/src/testing/webhook-receiver.js';

let service: PushService;
beforeEach(async () => {
  service = await openPushService();
});
afterEach(async () => {
  await closeApps();
  service.close();
});

const remove = (path: string) => ({ name: 'remove', arguments: { path } });
const sessionsOf = async (t: Harbour, who: Record<string, string>) =>
  (await ask<{ items: object[] }>(t, 'GET', '/me/sessions', who)).body.items.length;

describe('someone who has seen the link of another device', () => {
  it('[WHO2.1] gets no session, whether they are first or second, and can’t take over the one that is opened', async () => {
    const t = await openHarbour();
    const { id } = await add(t, 'Ann', 'approver');
    const ann = await signInAs(t, id);
    const linkOf = async () => {
      const { body } = await ask(t, 'POST', '/me/devices/link', ann);
      return {
        body,
        ticket: String(body['open']).split('#ticket=')[1],
        path: `/me/devices/link/${String(body['id'])}`,
      };
    };
    const enter = (body: object) => ask(t, 'POST', '/session', {}, body);
    // First: Ann sees another code than her phone shows, and refuses.
    const first = await linkOf();
    const { pairing, code } = (await enter({ ticket: first.ticket })).body;
    expect((await enter({ ticket: first.ticket })).status).toBe(401);
    for (const who of [{}, { Authorization: `Bearer ${String(pairing)}` }, { cookie: `x=${String(pairing)}` }])
      expect((await ask(t, 'POST', `${first.path}/confirm`, who, { code })).status).toBe(401);
    expect((await ask(t, 'DELETE', first.path, ann)).status).toBe(204);
    expect((await enter({ ticket: first.ticket, pairing })).status).toBe(401);
    // Second: the link is used up, before and after it was confirmed, and the secret of another link is no help.
    const second = await linkOf();
    const third = await linkOf();
    const opened = await openLinked(t, ann, third.body);
    for (const stolen of [{ ticket: third.ticket }, { ticket: third.ticket, pairing }, { ticket: second.ticket }])
      expect((await enter(stolen)).status).toBe(401);
    expect(await sessionsOf(t, opened)).toBe(2);
  });

  it.each([
    ['made up', () => 'A'.repeat(43)],
    ['an invitation', async (t: Harbour) => (await t.api('POST', '/people/ann/invitations')).body['open']],
  ])('[WHO2.1] gets nothing for a link that is %s', async (_, make) => {
    const t = await openHarbour();
    await add(t, 'Ann', 'approver');
    const ticket = String(await make(t))
      .split('=')
      .at(-1);
    for (const body of [{ ticket }, { ticket, pairing: ticket }])
      expect((await ask(t, 'POST', '/session', {}, body)).status).toBe(401);
  });
});

it('[PUSH4] [PUSH4.1] someone who replays the code of a notification denies nothing else, and approves nothing', async () => {
  const t = await openHarbour({ push: service.route });
  const { id } = await add(t, 'Ann', 'approver');
  const ann = await signInAs(t, id);
  expect((await ask<PushDevice>(t, 'POST', '/me/push', ann, service.device(id))).status).toBe(201);
  await t.propose(remove('one'));
  const { denial: code = '' } = await service.last(1);
  const [first] = await t.pending();
  const deny = () => ask(t, 'POST', '/denials', {}, { code });
  expect((await deny()).status).toBe(204);
  await t.settled();
  await t.propose(remove('one'));
  for (let attempt = 0; attempt < 5; attempt += 1) expect((await deny()).status).toBe(409);
  for (const body of [
    { ticket: code },
    { invitation: code },
    { token: code },
    { ticket: 'A'.repeat(43), pairing: code },
  ])
    expect((await ask(t, 'POST', '/session', {}, body)).status).toBeGreaterThanOrEqual(401);
  const approve = { tool_call_id: first?.approvalId, decision: 'approve', callHash: code };
  expect((await ask(t, 'POST', '/worlds/harbour/tool-results', {}, approve)).status).toBe(401);
  expect(await t.pending()).toHaveLength(1);
  expect(t.runs).toEqual([]);
});

it('[HOOK2] [HOOK2.1] no webhook reaches a metadata service: not by address, not by name, not although it is named', async () => {
  const METADATA = ['169.254.169.254', 'fd00:ec2::254', '::ffff:169.254.169.254'];
  let address = '203.0.113.7';
  const reached: string[] = [];
  const network = {
    resolve: async () => [{ address, family: address.includes(':') ? 6 : 4 }],
    mayConnect: (to: string) => {
      reached.push(to);
      return !METADATA.includes(to);
    },
  };
  const named = ['hooks.example:80', 'hooks.example:443', '169.254.169.254:80', '[fd00:ec2::254]:80'];
  const t = await openHarbour({ webhooks: { named, network } });
  const events = ['approval.requested'];
  for (const url of ['http://169.254.169.254/latest', 'http://[fd00:ec2::254]/latest', 'http://0xa9fea9fe/latest']) {
    const { status, text } = await t.api('POST', '/webhooks', { url, events });
    expect([url, status]).toEqual([url, 422]);
    expect(text).not.toContain('latest');
  }
  const { body } = await t.api<SavedWebhook>('POST', '/webhooks', { url: 'http://hooks.example/latest', events });
  for (const each of METADATA) {
    address = each;
    expect((await t.api('POST', '/webhooks', { url: 'http://hooks.example/latest', events })).status).toBe(422);
  }
  await t.propose(remove('x'));
  const tried = async () =>
    (await t.api<{ items: WebhookDelivery[] }>('GET', `/webhooks/${body.id}/deliveries`)).body.items.find(
      ({ problem }) => problem !== undefined,
    );
  expect(await until(tried, 'it was tried')).toMatchObject({ problem: expect.stringContaining('not a') as string });
});

it('[HOOK1.1] [HOOK5.1] the token in the URL of a template is encrypted in the store, and no list, record or failure shows it', async () => {
  const receiver = await openWebhookReceiver();
  const folder = await mkdtemp(join(tmpdir(), 'countersign-template-'));
  const file = join(folder, 'store.db');
  const secrets = givenSecretsKey('a secrets key that is long enough 0123456789', 'test');
  const t = await openHarbour({ file, secrets, webhooks: receiver.route });
  const token = '987654:the-token-of-a-bot';
  const url = `${new URL(receiver.url).origin}/bot${token}/sendMessage?chat_id=42`;
  const hook = { url, format: 'telegram', events: ['approval.requested'] };
  const made = await t.api<SavedWebhook>('POST', '/webhooks', hook);
  expect(made.status).toBe(201);
  receiver.answer((response) => void response.writeHead(500).end(url));
  await t.propose(remove('x'));
  const deliveries = () => t.api<{ items: WebhookDelivery[] }>('GET', `/webhooks/${made.body.id}/deliveries`);
  await until(async () => (await deliveries()).body.items.find(({ problem }) => problem !== undefined), 'it failed');
  const broken = await t.api('POST', '/webhooks', { ...hook, url: `${url}&chat_id=43#x` });
  const shown = [
    made.text,
    broken.text,
    (await t.api('GET', '/webhooks')).text,
    (await deliveries()).text,
    (await t.api('GET', '/audit')).text,
    ...t.errors,
  ].join('\n');
  expect(shown).toContain(made.body.id);
  expect(shown).not.toContain('the-token-of-a-bot');
  await t.close();
  expect(await readFile(file, 'latin1')).not.toContain('the-token-of-a-bot');
  receiver.close();
  await rm(folder, { recursive: true });
});
