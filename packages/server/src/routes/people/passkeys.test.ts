import { SERVER_LOG } from '@countersign/core/ports';
import type { Challenge, Me, Person, RegisteredPasskey } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { closeApps, openApp, type AppFixture } from '../../testing/app-fixture.js';
import { ask, openLinked, pageOf, signIn, signInAs } from '../../testing/sign-in.js';
import { createSoftPasskey, insertPasskey, type SoftPasskey } from '../../testing/soft-passkey.js';

afterEach(closeApps);

/** Sends a request as a browser at this page, with the credentials of a session. */
function browser(t: AppFixture, session: Record<string, string> = {}, origin = pageOf(t)) {
  return async <T = { detail: string }>(method: string, path: string, body?: unknown) =>
    await ask<T>(t, method, path, { Origin: origin, ...session }, body);
}

async function setUp() {
  const t = await openApp();
  const store = t.engine.runtime.store;
  const origin = pageOf(t);
  const own = (trusted = true, person = 'owner') => {
    const soft = createSoftPasskey('ed25519', { origin });
    return insertPasskey(store, person, soft, { trusted, origin }).then((id) => ({ soft, id }));
  };
  const session = await signIn(t, { ticket: t.newTicket() });
  const ask = browser(t, session);
  const confirmed = async (soft: SoftPasskey, kind: string, passkey: string, as = ask) => {
    const { challenge, options } = (await as<Challenge>('POST', '/me/challenges', { action: { kind, passkey } })).body;
    return { challenge, ...soft.sign(options.challenge) };
  };
  const audit = async (): Promise<string[]> =>
    (await store.read((r) => r.audit(SERVER_LOG, { after: 0, limit: 99 })))
      .filter(({ decision }) => decision?.startsWith('passkey'))
      .map(({ decision, why }) => `${decision} ${why}`);
  return { t, store, origin, own, ask, session, confirmed, audit };
}

describe('[WHO6.1] [WHO6.4] [HTTP3.6] passkeys', () => {
  it('are trusted only with a confirmation by a trusted passkey of the person or an admin', async () => {
    const { t, own, ask, confirmed, audit } = await setUp();
    const [first, second] = [await own(), await own(false)];
    const path = `/people/owner/passkeys/${second.id}`;
    const trust = (confirmation: unknown, as = ask) => as('PATCH', path, { trusted: true, confirmation });
    expect((await ask('PATCH', path, { trusted: true })).status).toBe(422);
    // Neither by itself, nor with a confirmation of something else.
    expect((await trust(await confirmed(second.soft, 'trust-passkey', second.id))).status).toBe(403);
    expect((await trust(await confirmed(first.soft, 'remove-passkey', second.id))).status).toBe(403);
    expect((await trust(await confirmed(first.soft, 'trust-passkey', first.id))).status).toBe(403);
    // Other people can't, even with a trusted passkey, unless they are admins.
    for (const [name, role] of [
      ['Bob', 'approver'],
      ['Cleo', 'admin'],
    ] as const) {
      await t.api<Person>('POST', '/people', { name, role });
      const other = await own(true, name.toLowerCase());
      const as = browser(t, await signInAs(t, name.toLowerCase()));
      const confirmation = await confirmed(other.soft, 'trust-passkey', second.id, as);
      // Only an owner changes what belongs to an owner.
      expect((await trust(confirmation, as)).status).toBe(403);
    }
    const done = await trust(await confirmed(first.soft, 'trust-passkey', second.id));
    expect(done).toMatchObject({ status: 200, body: { id: second.id, trusted: true } });
    expect(await audit()).toEqual([
      `passkey trusted owner: "Test key" (${second.id}), confirmed with "Test key" (${first.id})`,
    ]);
  });

  it('[WHO6.3] of other people are trusted by an admin with a trusted passkey, and by nobody else', async () => {
    const { t, own, confirmed, audit } = await setUp();
    for (const [name, role] of [
      ['Bob', 'approver'],
      ['Dan', 'approver'],
      ['Cleo', 'admin'],
    ] as const)
      await t.api<Person>('POST', '/people', { name, role });
    const as = async (person: string) => browser(t, await signInAs(t, person));
    // Signed in before they have passkeys: a later invitation could only read and chat (WHO5.1).
    const [bob, dan, cleo] = [await as('bob'), await as('dan'), await as('cleo')];
    const [bobs, dans, cleos] = [await own(false, 'bob'), await own(true, 'dan'), await own(true, 'cleo')];
    const untrusted = await own(false, 'cleo');
    const trust = async (from: typeof bob, soft: SoftPasskey) =>
      await from<RegisteredPasskey>('PATCH', `/people/bob/passkeys/${bobs.id}`, {
        trusted: true,
        confirmation: await confirmed(soft, 'trust-passkey', bobs.id, from),
      });
    // Admins see that it waits for them, and nobody else does.
    const waits = async (from: typeof bob) => {
      const { items } = (await from<{ items: Person[] }>('GET', '/people')).body;
      const { passkeysToConfirm } = (await from<Me>('GET', '/me')).body;
      return [passkeysToConfirm, items.find(({ id }) => id === 'bob')?.passkeysToConfirm];
    };
    expect([await waits(cleo), await waits(dan), await waits(bob)]).toEqual([
      [1, 1],
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect((await trust(dan, dans.soft)).status).toBe(403);
    expect((await trust(cleo, untrusted.soft)).status).toBe(403);
    // Nor with the admin's signature on a challenge of someone else.
    expect((await trust(dan, cleos.soft)).status).toBe(403);
    expect(await bob('POST', '/me/challenges', { action: { kind: 'trust-passkey', passkey: bobs.id } })).toMatchObject({
      status: 409,
    });
    expect(await trust(cleo, cleos.soft)).toMatchObject({ status: 200, body: { id: bobs.id, trusted: true } });
    expect(await waits(cleo)).toEqual([undefined, undefined]);
    expect(await audit()).toEqual([
      `passkey trusted bob: "Test key" (${bobs.id}), confirmed with "Test key" (${cleos.id})`,
    ]);
    // Bob can confirm with it now.
    expect((await bob('POST', '/me/challenges', { action: { kind: 'trust-passkey', passkey: bobs.id } })).status).toBe(
      201,
    );
  });

  it('[WHO2] open another device, confirmed for exactly this, from a session of any age or kind', async () => {
    const { t, own, ask, session } = await setUp();
    const { soft } = await own();
    const untrusted = await own(false);
    t.clock.advance(5 * 60_000);
    const link = (confirmation?: unknown, as = ask) =>
      as('POST', '/me/devices/link', confirmation === undefined ? undefined : { confirmation });
    const signed = async (with_: SoftPasskey, path = '/me/devices/link', as = ask) => {
      const action = { kind: 'change-world', method: 'POST', path, body: {} };
      const { challenge, options } = (await as<Challenge>('POST', '/me/challenges', { action })).body;
      return { challenge, ...with_.sign(options.challenge) };
    };
    expect(await link()).toMatchObject({ status: 409, body: { field: 'confirmation' } });
    expect((await link(await signed(untrusted.soft))).status).toBe(403);
    expect((await link(await signed(soft, '/me/delegations'))).status).toBe(403);
    const confirmation = await signed(soft);
    const made = await link(confirmation);
    expect(made.status).toBe(201);
    expect((await link(confirmation)).status).toBe(403);
    // A device that was opened by a link needs the passkey at once.
    const phone = browser(t, await openLinked(t, session, made.body));
    expect((await link(undefined, phone)).status).toBe(409);
    expect((await link(await signed(soft, undefined, phone), phone)).status).toBe(201);
  });

  it('[WHO5.3] confirm new tokens and invitations, in a session whose sign-in is old or used another passkey', async () => {
    const { t, own, ask } = await setUp();
    const { soft } = await own();
    const other = await own(false);
    await t.api('POST', '/people', { name: 'Bob' });
    const signed = async (path: string, body: object, as = ask) => {
      const action = { kind: 'change-world', method: 'POST', path, body };
      const { challenge, options } = (await as<Challenge>('POST', '/me/challenges', { action })).body;
      return { ...body, confirmation: { challenge, ...soft.sign(options.challenge) } };
    };
    const token = { name: 'x', scopes: ['read'] };
    const tokens = '/people/owner/tokens';
    const invitations = '/people/bob/invitations';
    expect((await ask('POST', tokens, token)).status).toBe(201);
    t.clock.advance(5 * 60_000);
    for (const [path, body] of [
      [tokens, token],
      [invitations, {}],
    ] as const) {
      expect(await ask('POST', path, body)).toMatchObject({ status: 409, body: { field: 'confirmation' } });
      expect((await ask('POST', path, await signed('/people/other/tokens', body))).status).toBe(403);
      expect((await ask('POST', path, await signed(path, body))).status).toBe(201);
    }
    // A stolen session could have registered the other passkey.
    const { challenge } = (await ask<{ challenge: string }>('POST', '/session/challenge')).body;
    const recent = browser(t, await signIn(t, { passkey: other.soft.sign(challenge) }));
    expect(await recent('POST', tokens, token)).toMatchObject({ status: 409, body: { field: 'confirmation' } });
    expect((await recent('POST', '/me/devices/link')).status).toBe(409);
    const { challenge: second } = (await ask<{ challenge: string }>('POST', '/session/challenge')).body;
    const trusted = browser(t, await signIn(t, { passkey: soft.sign(second) }));
    expect((await trusted('POST', tokens, token)).status).toBe(201);
  });

  it('[WHO6.2] are removed with a confirmation if they are trusted, and never the last trusted one', async () => {
    const { own, ask, confirmed, audit } = await setUp();
    const [first, second] = [await own(), await own(false)];
    const remove = (id: string, confirmation?: unknown) =>
      ask('DELETE', `/people/owner/passkeys/${id}`, confirmation === undefined ? undefined : { confirmation });
    const last = await confirmed(first.soft, 'remove-passkey', first.id);
    expect(await remove(first.id, last)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('last trusted passkey') as string },
    });
    expect((await remove(second.id)).status).toBe(204);
    const third = await own();
    expect((await remove(first.id)).status).toBe(403);
    expect((await remove(first.id, last)).status).toBe(204);
    expect((await remove(first.id, last)).status).toBe(404);
    const { items } = (await ask<{ items: RegisteredPasskey[] }>('GET', '/people/owner/passkeys')).body;
    expect(items).toMatchObject([{ id: third.id, trusted: true, host: 'localhost' }]);
    expect((await audit()).map((line) => line.replace(/:.*, /, ', '))).toEqual([
      'passkey removed owner, not trusted',
      `passkey removed owner, confirmed with "Test key" (${first.id})`,
    ]);
  });

  it('are registered with a challenge of the same person, once, at an address where passkeys work', async () => {
    const { t, ask, store } = await setUp();
    const options = (await ask<{ challenge: string; rp: object }>('POST', '/me/passkeys/options')).body;
    expect(options).toMatchObject({
      rp: { id: 'localhost' },
      authenticatorSelection: { userVerification: 'required' },
    });
    const clientData = (challenge: string): string =>
      Buffer.from(JSON.stringify({ type: 'webauthn.create', challenge, origin: pageOf(t) })).toString('base64url');
    const register = (challenge: string, as = ask) =>
      as('POST', '/me/passkeys', { credentialId: 'AAAA', clientData: clientData(challenge), attestation: 'oA' });
    await t.api('POST', '/people', { name: 'Bob' });
    const bob = browser(t, await signInAs(t, 'bob'));
    expect((await register('A'.repeat(43))).status).toBe(409);
    // A challenge for signing in is for nothing else.
    const other = (await browser(t)<{ challenge: string }>('POST', '/session/challenge')).body.challenge;
    expect((await register(other)).status).toBe(409);
    expect(await register(options.challenge)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('The passkey could not be registered') as string },
    });
    expect((await register(options.challenge)).status).toBe(409);
    const theirs = (await ask<{ challenge: string }>('POST', '/me/passkeys/options')).body.challenge;
    expect((await register(theirs, bob)).status).toBe(409);
    expect(await store.read((r) => r.passkeys())).toEqual([]);
    // The server's token in this test belongs to nobody.
    expect((await t.api('POST', '/me/passkeys/options', undefined, { Origin: pageOf(t) })).status).toBe(403);
    expect((await t.api('POST', '/me/passkeys/options')).body['detail']).toContain('only work in a browser');
    const atAddress = await browser(t, {}, t.url)('POST', '/session/challenge');
    expect(atAddress).toMatchObject({ status: 409, body: { detail: expect.stringContaining(pageOf(t)) as string } });
  });
});

describe('[WHO1.11] signing in with a passkey', () => {
  it('works once per challenge, with untrusted passkeys too, and only for active people', async () => {
    const { t, own, store } = await setUp();
    await t.api('POST', '/people', { name: 'Bob' });
    const [first, bobs] = [await own(), await own(false, 'bob')];
    const ask = browser(t);
    const challenge = async (): Promise<string> =>
      (await ask<{ challenge: string }>('POST', '/session/challenge')).body.challenge;
    const passkey = bobs.soft.sign(await challenge());
    const me = await browser(t, await signIn(t, { passkey }))<{ id: string }>('GET', '/me');
    expect(me.body.id).toBe('bob');
    expect((await ask('POST', '/session', { passkey })).status).toBe(401);
    // A challenge is used up even by a wrong answer.
    const used = await challenge();
    const wrong = { ...bobs.soft.sign(used), signature: first.soft.sign(used).signature };
    expect((await ask('POST', '/session', { passkey: wrong })).body.detail).toContain('(wrong-signature)');
    expect((await ask('POST', '/session', { passkey: bobs.soft.sign(used) })).status).toBe(401);
    const elsewhere = bobs.soft.sign(await challenge(), { origin: 'http://localhost:1' });
    expect((await ask('POST', '/session', { passkey: elsewhere })).body.detail).toContain('(other-site)');
    const unverified = bobs.soft.sign(await challenge(), { flags: 1 });
    expect((await ask('POST', '/session', { passkey: unverified })).body.detail).toContain('(not-verified)');
    expect((await ask('POST', '/session', { passkey: createSoftPasskey().sign(await challenge()) })).status).toBe(401);
    await t.api('PATCH', '/people/bob', { status: 'disabled' });
    expect((await ask('POST', '/session', { passkey: bobs.soft.sign(await challenge()) })).status).toBe(401);
    const log = await store.read((r) => r.audit(SERVER_LOG, { after: 0, limit: 99 }));
    expect(log.map(({ why }) => why)).toContain('bob: with a passkey');
  });

  it('limits how many challenges an address gets', async () => {
    const { t } = await setUp();
    const ask = browser(t);
    const statuses = new Set<number>();
    for (let i = 0; i < 21; i += 1) statuses.add((await ask('POST', '/session/challenge')).status);
    expect([...statuses]).toEqual([201, 429]);
  });
});

it('[WHO6.2] [WHO5.1] a token with scopes registers no passkey, which would sign in with all rights of its person', async () => {
  const { t } = await setUp();
  await t.api('POST', '/people', { name: 'Bob', role: 'admin' });
  const made = await t.api<{ token: string }>('POST', '/people/bob/tokens', { name: 'ci', scopes: ['read', 'admin'] });
  const asToken = browser(t, { Authorization: `Bearer ${made.body.token}` });
  const refused = await asToken('POST', '/me/passkeys/options');
  expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('no token can manage passkeys')]);
});

it('[WHO6.2] an admin removes someone else’s passkey only with a confirmation, even one that is not trusted', async () => {
  const { t, own, ask, confirmed } = await setUp();
  await t.api('POST', '/people', { name: 'Bob', role: 'approver' });
  const { soft } = await own();
  const theirs = await own(false, 'bob');
  const path = `/people/bob/passkeys/${theirs.id}`;
  expect((await ask('DELETE', path)).status).toBe(403);
  const confirmation = await confirmed(soft, 'remove-passkey', theirs.id);
  expect((await ask('DELETE', path, { confirmation })).status).toBe(204);
});
