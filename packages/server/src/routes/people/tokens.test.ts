import type { CreatedToken, OpenSession, Token } from '@countersign/protocol';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { closeApps, openApp } from '../../testing/app-fixture.js';
import { add, as, audit, tokenOf } from '../../testing/people.js';
import { ask, signIn, signInAs } from '../../testing/sign-in.js';

afterEach(closeApps);

describe('tokens', () => {
  it('[WHO5] [HTTP3.3] are shown once, can be listed and revoked, and end their sessions', async () => {
    const t = await openApp();
    await add(t, 'Ada', 'admin');
    const made = await t.api<CreatedToken>('POST', '/people/ada/tokens', { name: 'ci', scopes: ['read', 'chat'] });
    const { token, id } = made.body;
    expect(token).toMatch(new RegExp(`^cs_${id}_[\\w-]{43}$`));
    expect(made.body).toMatchObject({ name: 'ci', scopes: ['read', 'chat'], createdBy: 'token' });
    const listed = await t.api('GET', '/people/ada/tokens');
    expect(listed.body).toMatchObject({ items: [{ id, name: 'ci' }] });
    const me = await ask(t, 'GET', '/me', as(token));
    const whole = {
      kind: 'person',
      id: 'ada',
      name: 'Ada',
      via: 'ci (created by token)',
      role: 'admin',
      actions: ['read', 'chat'],
    };
    expect(me).toMatchObject({ status: 200, body: whole });
    const listedUse = (await t.api<{ items: Token[] }>('GET', '/people/ada/tokens')).body.items[0];
    expect(listedUse).toMatchObject({ usedAt: expect.any(String) as string, usedFrom: '127.0.0.1' });
    const session = await signIn(t, { token });
    expect((await ask(t, 'GET', '/me', session)).body).toMatchObject({ id: 'ada', actions: ['read', 'chat'] });
    // A secret never appears in the store's copies, the log or a later answer.
    // The secret may contain an underscore.
    const secret = token.slice(`cs_${id}_`.length);
    for (const text of [listed.text, JSON.stringify(await audit(t))]) expect(text).not.toContain(secret);
    expect((await t.api('DELETE', `/people/ada/tokens/${id}`)).status).toBe(204);
    expect((await t.api('DELETE', `/people/ada/tokens/${id}`)).status).toBe(404);
    expect([(await ask(t, 'GET', '/me', as(token))).status, (await ask(t, 'GET', '/me', session)).status]).toEqual([
      401, 401,
    ]);
    expect((await t.api('POST', '/session', { token }, { Authorization: '' })).status).toBe(401);
  });

  it('[WHO5] expire, and the session opened with one expires too', async () => {
    const t = await openApp();
    await add(t, 'Ada', 'member');
    const expiresAt = new Date(t.clock.now() + 3_600_000).toISOString();
    const made = await t.api<CreatedToken>('POST', '/people/ada/tokens', { name: 'x', scopes: ['read'], expiresAt });
    const session = await signIn(t, { token: made.body.token });
    t.clock.advance(3_599_999);
    expect((await ask(t, 'GET', '/me', session)).status).toBe(200);
    expect((await ask(t, 'GET', '/me', as(made.body.token))).status).toBe(200);
    t.clock.advance(1);
    expect((await ask(t, 'GET', '/me', session)).status).toBe(401);
    expect((await ask(t, 'GET', '/me', as(made.body.token))).status).toBe(401);
  });

  it('[WHO5] always expire, at most a year ahead', async () => {
    const t = await openApp();
    const make = (days: number) => {
      const expiresAt = new Date(t.clock.now() + days * 24 * 60 * 60 * 1000).toISOString();
      return t.api('POST', '/people/owner/tokens', { name: 'x', scopes: ['read'], expiresAt });
    };
    expect([(await make(366)).status, (await make(367)).status, (await make(-1)).status]).toEqual([201, 422, 422]);
    const forever = { name: 'x', scopes: ['read'], expiresAt: null };
    expect((await t.api('POST', '/people/owner/tokens', forever)).status).toBe(422);
  });

  it('[WHO1.9] a session ends some time after its last use, and some time after its sign-in, however often it is used', async () => {
    const hour = 60 * 60 * 1000;
    const t = await openApp({ lifetimes: { idleMs: 8 * hour, mostMs: 20 * hour } });
    await add(t, 'Ada', 'member');
    const [used, idle] = [await signInAs(t, 'ada'), await signInAs(t, 'ada')];
    const start = t.clock.now();
    const status = async (session: Record<string, string>) => (await ask(t, 'GET', '/me', session)).status;
    const at = async (passed: number, session: Record<string, string>) => {
      t.clock.advance(start + passed * hour - t.clock.now());
      return await status(session);
    };
    expect([await at(7, used), await at(14, used), await at(14, idle), await at(19, used), await at(20, used)]).toEqual(
      [200, 200, 401, 200, 401],
    );
  });

  it('[WHO1.9] a session that was opened with a token ends too, if the lifetimes were shortened since', async () => {
    const hour = 60 * 60 * 1000;
    const lifetimes = { idleMs: 100 * hour, mostMs: 200 * hour };
    const t = await openApp({ lifetimes });
    await add(t, 'Ada', 'member');
    const { token } = (await t.api<CreatedToken>('POST', '/people/ada/tokens', { name: 'a', scopes: ['read'] })).body;
    const session = await signIn(t, { token });
    t.clock.advance(9 * hour);
    expect((await ask(t, 'GET', '/me', session)).status).toBe(200);
    Object.assign(lifetimes, { idleMs: 8 * hour, mostMs: 8 * hour });
    expect((await ask(t, 'GET', '/me', session)).status).toBe(401);
  });

  it('[WHO5] never give more than the person and the creator may do', async () => {
    const t = await openApp();
    await t.api('POST', '/worlds', { name: 'Lab' });
    const mint = (who: Record<string, string>, person: string, scopes: string[]) =>
      ask(t, 'POST', `/people/${person}/tokens`, who, { name: 'x', scopes });
    const bob = await tokenOf(t, 'Bob', 'member', ['read', 'chat']);
    // A session that was opened with a token can't create one: it would outlive the revoked one.
    const ticket = (await ask(t, 'POST', '/tickets', bob)).body['ticket'];
    const token = (bob['Authorization'] ?? '').slice('Bearer '.length);
    for (const opened of [await signIn(t, { ticket }), await signIn(t, { token })]) {
      expect((await mint(opened, 'bob', ['read'])).status).toBe(403);
      expect((await ask(t, 'DELETE', '/me/sessions', opened)).status).toBe(403);
      expect((await ask(t, 'GET', '/me', opened)).body).toMatchObject({ scopes: ['read', 'chat'] });
      // But it can sign out.
      const sessions = (await ask(t, 'GET', '/me/sessions', opened)).body['items'] as OpenSession[];
      const current = sessions.find((session) => session.current)?.id;
      expect((await ask(t, 'DELETE', `/me/sessions/${current}`, opened)).status).toBe(204);
    }
    // A member's own session creates only what the member may do.
    const invited = (await t.api<{ open: string }>('POST', '/people/bob/invitations')).body.open;
    const session = await signIn(t, { invitation: invited.split('=')[1] });
    expect((await mint(session, 'bob', ['read', 'sign'])).status).toBe(403);
    // An admin's limited token can't widen its own rights: not with a token, an invitation or a start link.
    const eve = await tokenOf(t, 'Eve', 'admin', ['read', 'admin']);
    expect((await mint(eve, 'eve', ['sign'])).body).toMatchObject({
      detail: "You can't grant a scope that you don't have: sign.",
    });
    const link = (await ask(t, 'POST', '/tickets', eve)).body['ticket'];
    expect((await ask(t, 'GET', '/me', await signIn(t, { ticket: link }))).body).toMatchObject({
      actions: ['read', 'admin'],
    });
    // Nobody gets a scope that the role doesn't include.
    expect((await t.api('POST', '/people/bob/tokens', { name: 'x', scopes: ['sign'] })).body).toMatchObject({
      detail: "Bob's role doesn't include the scope sign. Choose other scopes.",
    });
  });
});

it.each([{ status: 'disabled' }, { role: 'approver' }, undefined])(
  '[WHO5.4] tokens and invitations for others end when their creator changes to %j',
  async (change) => {
    const t = await openApp();
    for (const name of ['Ada', 'Bob']) await add(t, name, 'admin');
    await add(t, 'Eve', 'approver');
    const ada = await signInAs(t, 'ada');
    const mint = async (who: Record<string, string>, person: string) => {
      const made = await ask(t, 'POST', `/people/${person}/tokens`, who, { name: 'x', scopes: ['read', 'admin'] });
      expect(made.status).toBe(201);
      return as(String(made.body['token']));
    };
    const tokens = [await mint(ada, 'bob'), await mint(await signInAs(t, 'bob'), 'bob')];
    const status = async (who: Record<string, string> = {}) => (await ask(t, 'GET', '/me', who)).status;
    const opened = await signIn(t, { ticket: (await ask(t, 'POST', '/tickets', tokens[0] ?? {})).body['ticket'] });
    const { open } = (await ask<{ open: string }>(t, 'POST', '/people/eve/invitations', ada)).body;
    expect([await status(tokens[0]), await status(tokens[1]), await status(opened)]).toEqual([200, 200, 200]);
    await t.api('PATCH', '/people/ada', { name: 'Ada Lovelace' });
    expect(await status(tokens[0])).toBe(200);
    const changed = await t.api(change === undefined ? 'DELETE' : 'PATCH', '/people/ada', change);
    expect(changed.status).toBeLessThan(300);
    expect([await status(tokens[0]), await status(tokens[1]), await status(opened)]).toEqual([401, 200, 401]);
    const invitation = { invitation: open.split('=')[1] };
    expect((await ask(t, 'POST', '/session', { Origin: t.url }, invitation)).status).toBe(401);
  },
);

it('[WHO1.6] [WHO1.7] no file contains the secret of a token, session or invitation', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const t = await openApp({ file: join(folder, 'store.db') });
  await add(t, 'Ada', 'member');
  const made = await t.api<CreatedToken>('POST', '/people/ada/tokens', { name: 'ci', scopes: ['read', 'chat'] });
  const { open } = (await t.api<{ open: string }>('POST', '/people/ada/invitations')).body;
  const { ticket } = (await t.api<{ ticket: string }>('POST', '/tickets')).body;
  const session = await signIn(t, { token: made.body.token });
  const secrets = [
    made.body.token.split('_').slice(2).join('_'),
    open.split('=')[1] ?? '',
    ticket,
    session['cookie']?.split('.')[1] ?? '',
    session['X-Countersign-Session'] ?? '',
  ];
  expect(secrets.map(({ length }) => length)).toEqual([43, 43, 43, 43, 43]);
  await t.close();
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  expect(files.join('')).toContain('Ada');
  for (const secret of secrets) expect(files.join('')).not.toContain(secret);
  expect(t.errors).toEqual([]);
});
