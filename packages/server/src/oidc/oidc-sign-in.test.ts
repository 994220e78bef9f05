import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLIENT, startOidcAccounts, type OidcAccounts } from '../../../../tests/support/oidc-accounts.js';
import { closeApps, openApp, type AppFixture } from '../testing/app-fixture.js';
import { openHarbour } from '../testing/harbour.js';
import { checkOidcOptions } from './oidc-settings.js';

const MINUTE_MS = 60_000;

interface Answer {
  status: number;
  detail: string | undefined;
  headers: Record<string, string>;
}

let idp: OidcAccounts;
let t: AppFixture;
let oidc: ReturnType<typeof checkOidcOptions>;

beforeEach(async () => {
  idp = await startOidcAccounts();
  oidc = checkOidcOptions({
    issuer: idp.issuer,
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    name: 'Acme',
    roles: { staff: 'member', release: 'approver', ops: 'admin' },
  });
  t = await openApp({ oidc });
  idp.register(`${t.url}/oidc/callback`);
  idp.accounts.set('u1', { name: 'Ada Lovelace', groups: ['staff', 'release', 'other'] });
});
afterEach(async () => {
  await closeApps();
  await idp.stop();
});

async function post(path: string, body?: unknown, more: Record<string, string> = {}): Promise<Response> {
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return await fetch(`${t.url}/api${path}`, {
    method: 'POST',
    headers: { Origin: t.url, ...type, ...more },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function start(): Promise<{ url: string; attempt: string }> {
  const response = await post('/sign-in/oidc');
  expect(response.status).toBe(200);
  return (await response.json()) as { url: string; attempt: string };
}

function answerIn({ searchParams }: URL): Record<string, string> {
  return Object.fromEntries(
    ['state', 'code', 'iss', 'error'].flatMap((name) => {
      const value = searchParams.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

/** Sends the answer to `POST /session`. `headers` are those of the new session. */
async function finish(oidc: Record<string, string>): Promise<Answer> {
  const response = await post('/session', { oidc });
  const { session = '', detail } = (await response.json()) as { session?: string; detail?: string };
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { status: response.status, detail, headers: { cookie, 'X-Countersign-Session': session } };
}

async function signIn(login = 'u1'): Promise<Answer> {
  const { url, attempt } = await start();
  return await finish({ attempt, ...answerIn(await idp.signIn(url, login)) });
}

async function get(
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${t.url}/api${path}`, { headers });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function people(): Promise<string[]> {
  const { body } = await t.api<{ items: { name: string; role: string }[] }>('GET', '/people');
  return body.items.map(({ name, role }) => `${name}: ${role}`);
}

async function audit(): Promise<string[]> {
  const { body } = await t.api<{ items: { kind: string; decision: string; why: string }[] }>('GET', '/audit');
  return body.items.filter(({ kind }) => kind !== 'refusal').map(({ decision, why }) => `${decision}: ${why}`);
}

describe('sign-in', () => {
  it('[WHO8] [WHO8.1] [WHO8.2] [HTTP3.1] adds the person with the highest role of their groups, and recognizes them by issuer and subject', async () => {
    expect((await t.api('GET', '/sign-in')).body).toEqual({ oidc: { name: 'Acme' } });
    const { url } = await start();
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: `${t.url}/oidc/callback`,
      scope: 'openid profile email groups offline_access',
    });
    const first = await signIn();
    expect(first).toMatchObject({ status: 200 });
    expect((await get('/me', first.headers)).body).toMatchObject({ id: 'ada-lovelace', role: 'approver' });
    idp.accounts.set('u1', { name: 'Someone Else', groups: 'staff' });
    const second = await signIn();
    expect((await get('/me', second.headers)).body).toMatchObject({ name: 'Ada Lovelace', role: 'member' });
    expect(await audit()).toEqual([
      'person added: owner: owner, created by the first start',
      'person added: ada-lovelace: approver, added by the first sign-in with Acme',
      'session opened: ada-lovelace: with OIDC',
      'person changed: ada-lovelace: role from "approver" to "member", from the groups at Acme',
      'session opened: ada-lovelace: with OIDC',
    ]);
    expect(t.errors).toEqual([]);
  });

  it('[WHO8.2] never links people by email address or name, so nobody can take over an account', async () => {
    await t.api('POST', '/people', { name: 'Ada Lovelace', email: 'ada@example.com', role: 'admin' });
    idp.accounts.set('u1', { name: 'ada lovelace', email: 'ADA@example.com', email_verified: true, groups: ['staff'] });
    const { headers } = await signIn();
    expect((await get('/me', headers)).body).toMatchObject({
      id: 'ada-lovelace-2',
      name: 'ada lovelace 2',
      role: 'member',
    });
    expect((await get('/me', headers)).body).not.toHaveProperty('email');
    idp.accounts.set('u2', { name: 'owner', email: 'bob@example.com', email_verified: true, groups: ['staff'] });
    idp.accounts.set('u3', { name: 'Eve', email: 'eve@example.com', groups: ['staff'] });
    // Cyrillic letters: a sign-in must work, and the name must not look like that of someone else.
    idp.accounts.set('u4', { name: '\u0410d\u0430 Lovelace', groups: ['staff'] });
    await signIn('u2');
    await signIn('u3');
    await signIn('u4');
    const stored = await t.engine.runtime.store.read((reader) => reader.people());
    expect(stored.map(({ name, email }) => [name, email])).toEqual([
      ['Olga Owner', null],
      ['Ada Lovelace', 'ada@example.com'],
      ['ada lovelace 2', null],
      ['owner', 'bob@example.com'],
      ['Eve', null],
      ['\u0410d\u0430 Lovelace 3', null],
    ]);
  });

  it('[WHO8.3] refuses people without a role, and disabled and removed people, and says whom to ask', async () => {
    idp.accounts.set('u2', { name: 'Eve', groups: ['unknown'] });
    idp.accounts.set('u3', { name: 'Eve', groups: { staff: true } });
    const noRole = "None of your groups at Acme has a role on this server, so you can't sign in. Ask Olga Owner.";
    expect(await signIn('u2')).toMatchObject({ status: 403, detail: noRole });
    expect(await signIn('u3')).toMatchObject({ status: 403, detail: noRole });
    expect(await people()).toEqual(['Olga Owner: owner']);
    await signIn();
    await t.api('PATCH', '/people/ada-lovelace', { status: 'disabled' });
    const inactive = "Your account on this server was disabled or removed, so you can't sign in. Ask Olga Owner.";
    expect(await signIn()).toMatchObject({ status: 403, detail: inactive });
    await t.api('DELETE', '/people/ada-lovelace');
    expect(await signIn()).toMatchObject({ status: 403, detail: inactive });
    expect(await people()).toEqual(['Olga Owner: owner']);
  });

  it('[WHO8.1] refuses an answer in another browser, a wrong state or issuer, a replayed code and a late answer', async () => {
    const { url, attempt } = await start();
    const other = await start();
    const answer = answerIn(await idp.signIn(url, 'u1'));
    const elsewhere = /started in another tab or browser/;
    for (const wrong of [
      { ...answer, attempt: other.attempt },
      { ...answer, attempt: 'v1.forged' },
      { ...answer, attempt, state: 'x' },
    ]) {
      const refused = await finish(wrong);
      expect(refused.status).toBe(401);
      expect(refused.detail).toMatch(elsewhere);
    }
    const { iss: _iss, ...withoutIss } = answer;
    const invalid = { status: 401, detail: expect.stringContaining('The answer from Acme is invalid') as string };
    expect(await finish({ ...answer, attempt, iss: 'https://evil.example' })).toMatchObject(invalid);
    expect(await finish({ ...withoutIss, attempt })).toMatchObject(invalid);
    expect(idp.grants).toEqual([]);
    expect(await finish({ ...answer, attempt })).toMatchObject({ status: 200 });
    const replayed = await finish({ ...answer, attempt });
    expect(replayed).toMatchObject({
      status: 401,
      detail: 'Acme refused the sign-in, or it was already used. Try again.',
    });
    const { state = '', iss = '' } = answer;
    expect(await finish({ attempt, state, iss, error: 'access_denied' })).toMatchObject({ status: 401 });
    const late = answerIn(await idp.signIn(other.url, 'u1'));
    t.clock.advance(11 * MINUTE_MS);
    expect(await finish({ ...late, attempt: other.attempt })).toMatchObject({
      status: 401,
      detail: 'The sign-in took longer than ten minutes. Sign in with Acme again.',
    });
  });

  it('[WHO8.1] refuses ID tokens that are expired, forged, or for another issuer, client or sign-in', async () => {
    const seconds = Math.floor(Date.now() / 1000);
    const changes: OidcAccounts['idToken'][] = [
      (claims) => ({ ...claims, iat: seconds - 7200, exp: seconds - 3600 }),
      (claims) => ({ ...claims, iss: 'https://evil.example' }),
      (claims) => ({ ...claims, aud: 'another-client' }),
      (claims) => ({ ...claims, nonce: 'another-nonce' }),
      ({ nonce: _nonce, ...claims }) => claims,
      (claims) => ({ ...claims, sub: 'u2' }),
    ];
    idp.accounts.set('u2', { name: 'Eve', groups: ['release'] });
    for (const change of changes) {
      idp.idToken = change;
      expect(await signIn()).toMatchObject({ status: 401 });
    }
    idp.idToken = undefined;
    idp.forges = true;
    expect(await signIn()).toMatchObject({ status: 401 });
    idp.forges = false;
    expect(await people()).toEqual(['Olga Owner: owner']);
    expect(await signIn()).toMatchObject({ status: 200 });
  });

  it('[WHO8.1] accepts rotated keys at once, and refuses a provider that names another issuer', async () => {
    expect(await signIn()).toMatchObject({ status: 200 });
    idp.rotateKeys();
    expect(await signIn()).toMatchObject({ status: 200 });
    idp.metadata = (metadata) => ({ ...metadata, issuer: 'https://evil.example' });
    t.clock.advance(10 * MINUTE_MS);
    const refused = await post('/sign-in/oidc');
    expect(refused.status).toBe(401);
  });

  it('[WHO8.7] says that the provider is down; other ways to sign in keep working', async () => {
    const { url, attempt } = await start();
    const answer = answerIn(await idp.signIn(url, 'u1'));
    await idp.stop();
    const down = "Acme can't be reached. Try again later, or sign in another way.";
    expect(await finish({ ...answer, attempt })).toMatchObject({ status: 503, detail: down });
    t.clock.advance(10 * MINUTE_MS);
    const refused = await post('/sign-in/oidc');
    expect([refused.status, await refused.json()]).toMatchObject([503, { detail: down }]);
    expect((await post('/session', { ticket: t.newTicket() })).status).toBe(200);
    await idp.restart();
    expect(await signIn()).toMatchObject({ status: 200 });
  });

  it('[WHO1.5] limits wrong answers per address', async () => {
    const { url, attempt } = await start();
    const answer = { attempt, ...answerIn(await idp.signIn(url, 'u1')) };
    for (let wrong = 0; wrong < 20; wrong += 1) await finish({ ...answer, state: 'x' });
    expect(await finish(answer)).toMatchObject({ status: 429 });
    expect(idp.grants).toEqual([]);
    t.clock.advance(MINUTE_MS);
    expect(await finish(answer)).toMatchObject({ status: 200 });
  });
});

describe('open sessions', () => {
  it('[WHO8.4] follow the groups within five minutes, and end when no group gives a role', async () => {
    const { headers } = await signIn();
    const token = await t.api<{ token: string }>('POST', '/people/ada-lovelace/tokens', {
      name: 'ci',
      scopes: ['read'],
    });
    const bearer = { Authorization: `Bearer ${token.body.token}` };
    idp.accounts.set('u1', { groups: ['staff'] });
    t.clock.advance(4 * MINUTE_MS);
    expect((await get('/me', headers)).body).toMatchObject({ role: 'approver' });
    t.clock.advance(MINUTE_MS);
    const both = await Promise.all([get('/me', headers), get('/me', headers)]);
    expect(both.map(({ body }) => body['role'])).toEqual(['member', 'member']);
    expect(idp.grants).toEqual(['granted', 'granted']);
    idp.accounts.set('u1', { groups: ['other'] });
    t.clock.advance(5 * MINUTE_MS);
    expect(await get('/me', bearer)).toMatchObject({
      status: 401,
      body: { detail: 'Your sign-in has expired, or your groups changed. Sign in again.' },
    });
    expect((await get('/me', headers)).status).toBe(401);
    expect(await people()).toEqual(['Olga Owner: owner', 'Ada Lovelace: null']);
    expect((await audit()).at(-1)).toBe(
      'person changed: ada-lovelace: role from "member" to null, from the groups at Acme; sessions ended',
    );
    expect(await signIn()).toMatchObject({ status: 403 });
    idp.accounts.set('u1', { groups: ['staff'] });
    expect(await signIn()).toMatchObject({ status: 200 });
    expect((await get('/me', bearer)).status).toBe(200);
    expect((await get('/me', headers)).status).toBe(401);
    expect(t.errors).toEqual([]);
  });

  it.each([['staff'], ['other']])(
    '[WHO5.4] tokens for others end when the only group of their creator is %s',
    async (group) => {
      await t.api('POST', '/people', { name: 'Bob', role: 'member' });
      idp.accounts.set('u1', { groups: ['ops'] });
      const { headers } = await signIn();
      const made = await post('/people/bob/tokens', { name: 'ci', scopes: ['read'] }, headers);
      const { token } = (await made.json()) as { token: string };
      const bearer = { Authorization: `Bearer ${token}` };
      expect((await get('/me', bearer)).status).toBe(200);
      idp.accounts.set('u1', { groups: [group] });
      t.clock.advance(5 * MINUTE_MS);
      expect((await get('/me', headers)).status).toBe(group === 'staff' ? 200 : 401);
      expect((await get('/me', bearer)).status).toBe(401);
    },
  );

  it('[SIGN1.11] tell open screens when a sign-in or a check changes who can sign', async () => {
    const harbour = await openHarbour({ oidc });
    t = harbour;
    idp.register(`${t.url}/oidc/callback`);
    const policy = await t.api('GET', '/worlds/harbour/policy');
    const match = { 'If-Match': policy.headers.get('etag') ?? '' };
    expect((await t.api('PUT', '/worlds/harbour/policy', { rules: ['ask remove by @owner'] }, match)).status).toBe(200);
    await harbour.propose({ name: 'remove', arguments: {} });
    let seen = '';
    const isTold = async (): Promise<boolean> => {
      const { body } = await t.api<{ lastEventId: string }>('GET', '/worlds/harbour');
      const isNew = body.lastEventId !== seen;
      seen = body.lastEventId;
      return isNew;
    };
    await isTold();
    const { headers } = await signIn();
    expect(await isTold()).toBe(true);
    await signIn();
    expect(await isTold()).toBe(false);
    idp.accounts.set('u1', { groups: ['staff'] });
    t.clock.advance(5 * MINUTE_MS);
    expect((await get('/me', headers)).body).toMatchObject({ role: 'member' });
    expect(await isTold()).toBe(true);
    idp.accounts.set('u1', { groups: ['staff', 'new'] });
    await signIn();
    expect(await isTold()).toBe(true);
  });

  it('[WHO8.6] [SIGN1.4] a leaver no longer counts for a quorum, without another request of theirs', async () => {
    const harbour = await openHarbour({ oidc });
    t = harbour;
    idp.register(`${t.url}/oidc/callback`);
    for (const [login, name] of [
      ['u2', 'Bob'],
      ['u3', 'Carol'],
    ] as const)
      idp.accounts.set(login, { name, groups: ['release'] });
    const signIns = new Map<string, Record<string, string>>();
    for (const login of ['u1', 'u2', 'u3']) signIns.set(login, (await signIn(login)).headers);
    await t.api('PUT', '/groups/releasers', { people: [], oidcGroup: 'release' });
    const policy = await t.api('GET', '/worlds/harbour/policy');
    const match = { 'If-Match': policy.headers.get('etag') ?? '' };
    const rules = ['ask remove by 2 of @releasers'];
    expect((await t.api('PUT', '/worlds/harbour/policy', { rules }, match)).status).toBe(200);
    await harbour.propose({ name: 'remove', arguments: {} });
    const [asked] = await harbour.pending();
    const sign = async (login: string): Promise<string> => {
      const response = await fetch(`${t.url}/api/worlds/harbour/tool-results`, {
        method: 'POST',
        headers: { ...signIns.get(login), Origin: t.url, 'Content-Type': 'application/json' },
        body: JSON.stringify({ tool_call_id: asked?.approvalId, decision: 'approve' }),
      });
      return ((await response.json()) as { state: string }).state;
    };
    expect(await sign('u1')).toBe('asked');
    idp.accounts.set('u1', { groups: ['staff'] });
    t.clock.advance(5 * MINUTE_MS);
    expect(await sign('u2')).toBe('asked');
    expect(await harbour.pending()).toMatchObject([{ needs: [{ signed: [{ name: 'Bob' }], may: ['Carol'] }] }]);
    expect(harbour.runs).toEqual([]);
    expect(await sign('u3')).toBe('approved');
    await harbour.settled();
    expect(harbour.runs).toHaveLength(1);
    expect(t.errors).toEqual([]);
  });

  it('[WHO8.4] end when the provider no longer knows the person', async () => {
    const { headers } = await signIn();
    idp.accounts.delete('u1');
    t.clock.advance(5 * MINUTE_MS);
    expect((await get('/me', headers)).status).toBe(401);
    expect((await audit()).at(-1)).toBe('session ended: ada-lovelace: all, because Acme ended the sign-in');
  });

  it('[WHO8.5] work for an hour while the provider is down, then wait until it is back', async () => {
    const { headers } = await signIn();
    await idp.stop();
    t.clock.advance(59 * MINUTE_MS);
    expect((await get('/me', headers)).status).toBe(200);
    t.clock.advance(MINUTE_MS);
    expect((await get('/me', headers)).status).toBe(401);
    await idp.restart();
    t.clock.advance(MINUTE_MS);
    expect((await get('/me', headers)).status).toBe(200);
    expect(t.errors.filter((error) => !error.startsWith("Acme could not confirm a person's groups"))).toEqual([]);
  });

  it('[WHO8.1] no token, code or client secret is stored in clear text, logged or returned', async () => {
    await signIn();
    t.clock.advance(5 * MINUTE_MS);
    await signIn();
    const stored = JSON.stringify(await t.engine.runtime.store.read((reader) => reader.people()));
    const shown = (await t.api('GET', '/people')).text + (await t.api('GET', '/audit')).text + t.errors.join('\n');
    expect(idp.secrets.length).toBeGreaterThan(4);
    for (const secret of [...idp.secrets, CLIENT.secret]) {
      expect(stored).not.toContain(secret);
      expect(shown).not.toContain(secret);
    }
  });
});

it('[WHO8.8] members of an OIDC group belong to the group that names it; roles and invitations come from the provider', async () => {
  await t.api('POST', '/worlds', { name: 'Lab' });
  await t.api('PUT', '/groups/releasers', { people: [], oidcGroup: 'release' });
  const policy = await t.api('GET', '/worlds/lab/policy');
  const ifMatch = { 'If-Match': policy.headers.get('etag') ?? '' };
  const rules = { rules: ['ask shell_cmd by @releasers'] };
  expect(await t.api('PUT', '/worlds/lab/policy', rules, ifMatch)).toMatchObject({ status: 422 });
  await signIn();
  expect(await t.api('PUT', '/worlds/lab/policy', rules, ifMatch)).toMatchObject({ status: 200 });
  const releasers = { name: 'releasers', people: [], oidcGroup: 'release', oidcMembers: ['ada-lovelace'] };
  expect((await t.api('GET', '/groups')).body).toEqual({ items: [releasers] });
  const byHand = await t.api('PATCH', '/people/ada-lovelace', { role: 'admin' });
  expect(byHand).toMatchObject({ status: 409, body: { field: 'role' } });
  expect(await t.api('POST', '/people/ada-lovelace/invitations')).toMatchObject({ status: 409 });
  expect(await t.api('PATCH', '/people/ada-lovelace', { worldRoles: { lab: 'admin' } })).toMatchObject({ status: 200 });
});
