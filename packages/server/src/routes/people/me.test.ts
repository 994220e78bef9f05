import type { CreatedToken, Invitation, OpenSession } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { insertCredential, makeSecret } from '../../people/credentials.js';
import { closeApps, openApp, type AppFixture } from '../../testing/app-fixture.js';
import { openStream } from '../../testing/open-stream.js';
import { add, as, audit } from '../../testing/people.js';
import { ask, openLinked, pageOf, signIn, signInAs } from '../../testing/sign-in.js';

afterEach(closeApps);

const sessionsOf = async (t: AppFixture, session: Record<string, string>): Promise<readonly OpenSession[]> =>
  (await ask<{ items: OpenSession[] }>(t, 'GET', '/me/sessions', session)).body.items;

/** Asks for a link to another device. */
const link = (t: AppFixture, session: Record<string, string>) => ask(t, 'POST', '/me/devices/link', session);
const ticketIn = (body: Record<string, unknown>): string => String(body['open']).split('#ticket=')[1] ?? '';
const redeem = (t: AppFixture, ticket: string) => ask(t, 'POST', '/session', {}, { ticket });

describe('sessions, invitations and links to devices', () => {
  it('[WHO1.9] [WHO4.5] [HTTP3.3] an invitation signs in once, for a week, and the newest replaces the others', async () => {
    const t = await openApp();
    await add(t, 'Ada', 'member');
    const invite = async (): Promise<string> => {
      const made = await t.api<{ open: string; expiresAt: string }>('POST', '/people/ada/invitations');
      expect(Date.parse(made.body.expiresAt) - t.clock.now()).toBe(7 * 24 * 3_600_000);
      const [origin, invitation = ''] = made.body.open.split('/#invitation=');
      expect(origin).toBe(t.url);
      return invitation;
    };
    const redeem = async (invitation: string): Promise<number> =>
      (await t.api('POST', '/session', { invitation }, { Authorization: '' })).status;
    const [first, second] = [await invite(), await invite()];
    expect(await redeem(first)).toBe(401);
    expect([await redeem(second), await redeem(second)]).toEqual([200, 401]);
    // Neither kind works as the other.
    const third = await invite();
    expect((await t.api('POST', '/session', { ticket: third }, { Authorization: '' })).status).toBe(401);
    expect((await t.api('POST', '/session', { ticket: third, invitation: third }, { Authorization: '' })).status).toBe(
      422,
    );
    t.clock.advance(7 * 24 * 3_600_000);
    expect(await redeem(third)).toBe(401);
    const late = await invite();
    await t.api('PATCH', '/people/ada', { status: 'disabled' });
    expect(await redeem(late)).toBe(401);
    expect((await t.api('POST', '/people/ada/invitations')).status).toBe(409);
    await t.api('PATCH', '/people/ada', { status: 'active' });
    expect(await redeem(late)).toBe(401);
  });

  it('[WHO1.9] sessions are listed with their device, and end one by one', async () => {
    const t = await openApp();
    await add(t, 'Ada', 'member');
    await add(t, 'Bob', 'admin');
    const open = (name: string) => signInAs(t, name);
    const [here, there, bob] = [await open('ada'), await open('ada'), await open('bob')];
    const [mine, other] = await sessionsOf(t, here);
    expect([mine?.current, other?.current, mine?.device]).toEqual([true, false, 'a browser']);
    // Nobody can end someone else's session this way.
    expect((await ask(t, 'DELETE', `/me/sessions/${mine?.id}`, bob)).status).toBe(404);
    expect((await ask(t, 'DELETE', `/me/sessions/${other?.id}`, here)).status).toBe(204);
    expect((await ask(t, 'GET', '/me', there)).status).toBe(401);
    const again = await open('ada');
    expect((await ask(t, 'DELETE', '/me/sessions', here)).status).toBe(204);
    expect([(await ask(t, 'GET', '/me', again)).status, (await ask(t, 'GET', '/me', here)).status]).toEqual([401, 200]);
    // An admin can see and end them on purpose.
    const path = `/people/ada/sessions`;
    expect((await ask(t, 'GET', path, bob)).body).toMatchObject({ items: [{ id: mine?.id, current: false }] });
    expect((await ask(t, 'GET', '/people/nobody/sessions', bob)).status).toBe(404);
    expect((await ask(t, 'DELETE', `${path}/none`, bob)).status).toBe(404);
    expect((await ask(t, 'DELETE', `${path}/${mine?.id}`, bob)).status).toBe(204);
    expect((await ask(t, 'GET', '/me', here)).status).toBe(401);
    const last = await open('ada');
    expect((await ask(t, 'DELETE', path, bob)).status).toBe(204);
    expect((await ask(t, 'GET', '/me', last)).status).toBe(401);
    const { items } = (await t.api<{ items: { decision: string; why: string }[] }>('GET', '/audit')).body;
    expect(items.at(-1)).toMatchObject({ decision: 'session ended', who: { id: 'bob' } });
  });

  it('[WHO5.1] an invitation says that it only lets people read and chat, and so does its session', async () => {
    const t = await openApp();
    const { id } = await add(t, 'Bob', 'approver');
    const first = await t.api<Invitation>('POST', `/people/${id}/invitations`);
    expect(first.body.scopes).toBeUndefined();
    const bob = await signIn(t, { invitation: first.body.open.split('=')[1] });
    expect((await ask(t, 'GET', '/me', bob)).body['limitedBy']).toBeUndefined();
    const limited = await t.api<Invitation>('POST', `/people/${id}/invitations`);
    expect(limited.body.scopes).toEqual(['read', 'chat']);
    const { id: current } = (await sessionsOf(t, bob)).find((session) => session.current) ?? {};
    expect((await ask(t, 'DELETE', `/me/sessions/${current}`, bob)).status).toBe(204);
    // It stays as it was described, although Bob has no session anymore.
    const later = await signIn(t, { invitation: limited.body.open.split('=')[1] });
    expect((await ask(t, 'GET', '/me', later)).body).toMatchObject({
      scopes: ['read', 'chat'],
      limitedBy: 'invitation',
    });
    await t.api('POST', '/worlds', { name: 'Lab' });
    for (const [method, path, body] of [
      ['POST', '/me/passkeys/options', undefined],
      ['POST', `/people/${id}/tokens`, { name: 'x', scopes: ['read'] }],
      ['POST', '/worlds/lab/tool-results', { tool_call_id: 'x', decision: 'approve' }],
    ] as const) {
      const refused = await ask(t, method, path, { ...later, Origin: pageOf(t) }, body);
      expect(refused.status).toBe(403);
      expect(refused.body['detail']).toContain('opened with an invitation');
    }
    expect((await audit(t)).map(({ why }) => why)).toContain('bob: Bob, may only read and chat');
    // A token of an external agent is no way to sign in.
    const { id: cy } = await add(t, 'Cy', 'approver');
    const external = { worldId: 'lab', agentId: 'coder' };
    await t.engine.runtime.store.transact('', (tx) =>
      insertCredential(tx, makeSecret(), { personId: cy, kind: 'token', name: 'gate', data: { external } }),
    );
    expect((await t.api<Invitation>('POST', `/people/${cy}/invitations`)).body.scopes).toBeUndefined();
  });

  it('[WHO2] [WHO4.6] a link opens one other device within a minute, with the rights of its session', async () => {
    const t = await openApp();
    const laptop = await signIn(t, { ticket: t.newTicket() });
    const first = await link(t, laptop);
    expect(first.status).toBe(201);
    const phone = await openLinked(t, laptop, first.body);
    expect((await ask(t, 'GET', '/me', phone)).body).toMatchObject({
      id: 'owner',
      actions: expect.arrayContaining(['sign', 'admin']) as unknown,
    });
    // Opened twice, or late.
    expect((await redeem(t, ticketIn(first.body))).status).toBe(401);
    const second = await link(t, laptop);
    t.clock.advance(60_000);
    expect((await redeem(t, ticketIn(second.body))).status).toBe(401);
    // A link is not a sign-in: neither here nor for the next device.
    expect(await link(t, phone)).toMatchObject({ status: 409 });
    // Nor is a sign-in from five minutes ago.
    t.clock.advance(4 * 60_000 - 1);
    expect((await link(t, laptop)).status).toBe(201);
    t.clock.advance(1);
    const late = await link(t, laptop);
    expect(late.status).toBe(409);
    expect(late.body['detail']).toContain('Sign out, sign in again');
    const devices = (await sessionsOf(t, laptop)).map(({ device }) => device);
    expect(devices).toContain('a browser, opened from a browser');
    const log = (await audit(t)).map(({ decision, why }) => `${decision} ${why}`);
    expect(log.filter((line) => line.startsWith('device link created owner: from a browser ('))).toHaveLength(3);
    expect(log.filter((line) => line.startsWith('session opened owner: with a link from a browser ('))).toHaveLength(1);
  });

  it('[WHO2] a link gives no more than its session, and ends with it and with its person', async () => {
    const t = await openApp();
    const { id } = await add(t, 'Bob', 'approver');
    const bob = await signInAs(t, id);
    const made = await ask(t, 'POST', `/people/${id}/tokens`, bob, { name: 'laptop', scopes: ['read', 'sign'] });
    const { id: tokenId, token } = made.body as { id: string; token: string };
    // A session that was opened with a limited token.
    const limited = await signIn(t, { token });
    const narrow = await link(t, limited);
    expect(narrow.body['scopes']).toEqual(['read', 'sign']);
    const phone = await openLinked(t, limited, narrow.body);
    expect((await ask(t, 'GET', '/me', phone)).body).toMatchObject({ scopes: ['read', 'sign'], limitedBy: 'link' });
    const waiting = await link(t, limited);
    expect((await ask(t, 'DELETE', `/people/${id}/tokens/${tokenId}`, bob)).status).toBe(204);
    expect((await ask(t, 'GET', '/me', phone)).status).toBe(401);
    expect((await redeem(t, ticketIn(waiting.body))).status).toBe(401);
    // The session ends after it created a link.
    const own = await link(t, bob);
    const { id: current } = (await sessionsOf(t, bob)).find((session) => session.current) ?? {};
    await ask(t, 'DELETE', `/me/sessions/${current}`, bob);
    expect((await redeem(t, ticketIn(own.body))).status).toBe(401);
    expect((await link(t, bob)).status).toBe(401);
    // Roles count when they are used: the session that a link opens has lost them, too.
    const again = await signInAs(t, id);
    const before = await link(t, again);
    await t.api('PATCH', `/people/${id}`, { role: 'viewer' });
    const viewer = await openLinked(t, again, before.body);
    expect((await ask(t, 'GET', '/me', viewer)).body['actions']).toEqual(['read']);
    const last = await link(t, again);
    await t.api('PATCH', `/people/${id}`, { status: 'disabled' });
    expect((await redeem(t, ticketIn(last.body))).status).toBe(401);
    // No other credential is a ticket.
    expect((await redeem(t, token)).status).toBe(401);
  });

  it('[WHO2.1] the other device gets in only after the first one has confirmed the code that it shows', async () => {
    const t = await openApp();
    const laptop = await signIn(t, { ticket: t.newTicket() });
    const { id: bob } = await add(t, 'Bob', 'owner');
    const other = await signInAs(t, bob);
    const made = (await link(t, laptop)).body;
    const ticket = ticketIn(made);
    const path = `/me/devices/link/${String(made['id'])}`;
    expect((await ask(t, 'GET', path, laptop)).body).toEqual({});
    const early = await ask(t, 'POST', `${path}/confirm`, laptop, { code: '123456' });
    expect(early.status).toBe(409);
    const { status, body: shown } = await redeem(t, ticket);
    expect({ status, code: shown['code'] }).toEqual({ status: 202, code: expect.stringMatching(/^\d{6}$/) as string });
    expect(shown).not.toHaveProperty('session');
    // A copy of the link is worth nothing now, and neither is a guessed secret.
    expect((await redeem(t, ticket)).status).toBe(401);
    const guess = { ticket, pairing: 'x'.repeat(43) };
    expect((await ask(t, 'POST', '/session', {}, guess)).status).toBe(401);
    const again = { ticket, pairing: shown['pairing'] };
    expect(await ask(t, 'POST', '/session', {}, again)).toMatchObject({ status: 202, body: shown });
    // Only the session that made the link sees and confirms the device.
    for (const who of [other, await signInAs(t, (await add(t, 'Cy', 'admin')).id)])
      for (const [method, at, body] of [
        ['GET', path, undefined],
        ['POST', `${path}/confirm`, { code: shown['code'] }],
        ['DELETE', path, undefined],
      ] as const)
        expect((await ask(t, method, at, who, body)).status).toBe(404);
    const { asked } = (await ask<{ asked: object }>(t, 'GET', path, laptop)).body;
    expect(asked).toEqual({
      device: 'a browser',
      from: expect.stringContaining('127.0.0.1') as string,
      code: shown['code'],
    });
    const wrong = String((Number(shown['code']) + 1) % 1_000_000).padStart(6, '0');
    expect((await ask(t, 'POST', `${path}/confirm`, laptop, { code: wrong })).status).toBe(409);
    expect((await ask(t, 'POST', '/session', {}, again)).status).toBe(202);
    expect((await ask(t, 'POST', `${path}/confirm`, laptop, { code: shown['code'] })).status).toBe(204);
    const phone = await signIn(t, again);
    expect((await ask(t, 'GET', '/me', phone)).status).toBe(200);
    expect((await ask(t, 'POST', '/session', {}, again)).status).toBe(401);
    expect((await ask(t, 'GET', path, laptop)).status).toBe(404);
    expect((await audit(t)).map(({ decision }) => decision)).toContain('device confirmed');
  });

  it('[WHO2.1] a device is refused, or too late, and a new link ends the one before it', async () => {
    const t = await openApp();
    const laptop = await signIn(t, { ticket: t.newTicket() });
    const opened = async () => {
      const made = (await link(t, laptop)).body;
      const { pairing, code } = (await redeem(t, ticketIn(made))).body;
      const path = `/me/devices/link/${String(made['id'])}`;
      return { path, code, key: { ticket: ticketIn(made), pairing } };
    };
    const refused = await opened();
    expect((await ask(t, 'DELETE', refused.path, laptop)).status).toBe(204);
    const replaced = await opened();
    const late = await opened();
    t.clock.advance(2 * 60_000);
    for (const { path, code, key } of [refused, replaced, late]) {
      expect((await ask(t, 'POST', `${path}/confirm`, laptop, { code })).status).toBe(404);
      expect((await ask(t, 'POST', '/session', {}, key)).status).toBe(401);
    }
    expect(await sessionsOf(t, laptop)).toHaveLength(1);
    for (const key of [{ pairing: 'x'.repeat(43) }, { token: 'x', pairing: 'x'.repeat(43) }])
      expect((await ask(t, 'POST', '/session', {}, key)).status).toBe(422);
  });

  it('[WHO2] a link that is limited to reading and signing gives nothing else, whatever its session may do', async () => {
    const t = await openApp();
    const laptop = await signIn(t, { ticket: t.newTicket() });
    const made = await ask(t, 'POST', '/me/devices/link', laptop, { scopes: ['read', 'sign'] });
    expect(made.body['scopes']).toEqual(['read', 'sign']);
    const phone = await openLinked(t, laptop, made.body);
    const me = (await ask(t, 'GET', '/me', phone)).body;
    expect(me).toMatchObject({ id: 'owner', actions: ['read', 'sign'], scopes: ['read', 'sign'], limitedBy: 'link' });
    await t.api('POST', '/worlds', { name: 'Lab' });
    for (const [method, path, body] of [
      ['POST', '/worlds', { name: 'More' }],
      ['POST', '/people/owner/tokens', { name: 'x', scopes: ['read'] }],
      ['POST', '/me/passkeys/options', undefined],
      ['DELETE', '/me/sessions', undefined],
      ['POST', '/worlds/lab/chats', {}],
    ] as const)
      expect([path, (await ask(t, method, path, { ...phone, Origin: pageOf(t) }, body)).status]).toEqual([path, 403]);
    // It can't pass on more than it has, and the log says what it may do.
    const { id } = await add(t, 'Bob', 'approver');
    const bob = await signInAs(t, id);
    const token = await ask(t, 'POST', `/people/${id}/tokens`, bob, { name: 'x', scopes: ['read', 'chat'] });
    const limited = await signIn(t, { token: token.body['token'] });
    const both = await ask(t, 'POST', '/me/devices/link', limited, { scopes: ['read', 'sign'] });
    expect(both.body['scopes']).toEqual(['read']);
    const reader = await openLinked(t, limited, both.body);
    expect((await ask(t, 'GET', '/me', reader)).body['actions']).toEqual(['read']);
    expect((await audit(t)).map(({ why }) => why).join()).toContain('only to read and sign');
  });

  it('[WHO4.5] disabling ends sessions, tokens, tickets and open streams at once', async () => {
    const t = await openApp();
    await t.api('POST', '/worlds', { name: 'Lab' });
    await add(t, 'Bob', 'member');
    const made = await t.api<CreatedToken>('POST', '/people/bob/tokens', { name: 'test', scopes: ['read', 'chat'] });
    const bob = as(made.body.token);
    const session = await signIn(t, { ticket: (await ask(t, 'POST', '/tickets', bob)).body['ticket'] });
    const ticket = (await ask(t, 'POST', '/tickets', bob)).body['ticket'];
    const follow = (headers: Record<string, string>) => openStream(`${t.url}/api/worlds/lab/events`, { headers });
    const streams = [await follow(session), await follow(bob)];
    expect((await t.api('PATCH', '/people/bob', { status: 'disabled' })).status).toBe(200);
    // No clock moves: the change itself ends them.
    for (const stream of streams) expect(await stream.over).toBe(true);
    for (const headers of [session, bob]) expect((await ask(t, 'GET', '/me', headers)).status).toBe(401);
    expect((await t.api('POST', '/session', { ticket }, { Authorization: '' })).status).toBe(401);
    await t.api('PATCH', '/people/bob', { status: 'active' });
    for (const headers of [session, bob]) expect((await ask(t, 'GET', '/me', headers)).status).toBe(401);
  });
});
