import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Client } from '@countersign/client';
import type { McpServer, McpSignInStart } from '@countersign/protocol';
import { serve } from '@countersign/server';
import { expect, it, onTestFinished } from 'vitest';
import { createMigratedDatabase } from '../support/postgres-database.js';
import { scaled } from '../support/scaled.js';
import { startOAuthServers, type OAuthServers } from './support/oauth-servers.js';

/** The part of the redirect URL for the server `tides` in the world `lab`. */
const CALLBACK = createHash('sha256').update('["lab","tides"]').digest('base64url').slice(0, 16);

interface Place {
  client: Client;
  base: string;
  url: string;
  logged: () => string;
  server: () => Promise<McpServer>;
  start: (more?: { clientId?: string; clientSecret?: string }) => Promise<McpSignInStart>;
  close: () => Promise<void>;
}

async function openServer(env: Record<string, string> = {}): Promise<Place> {
  const base = mkdtempSync(join(tmpdir(), 'countersign-sign-in-'));
  mkdirSync(join(base, 'work'));
  let logged = '';
  const log = (message: string, fields?: object): void => {
    logged += `${message} ${JSON.stringify(fields)}\n`;
  };
  const serving = await serve({
    home: join(base, 'home'),
    env: { ...env },
    log: { info: log, warn: log, error: log },
    port: 0,
    ollamaUrl: 'http://127.0.0.1:9',
    sandbox: { kind: 'none', reason: 'no command runs here' },
    version: 'test',
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= serving.close());
  onTestFinished(async () => {
    await close();
    rmSync(base, { recursive: true, force: true });
  });
  const client = createClient({ url: serving.url, token: serving.home.token.value });
  return {
    client,
    base,
    url: serving.url,
    logged: () => logged,
    server: async () => (await client.mcpServer('lab', 'tides')).value,
    start: (more = {}) => client.startMcpSignIn('lab', 'tides', { origin: serving.url, ...more }),
    close,
  };
}

async function withServer(url: string, place: Place): Promise<void> {
  await place.client.createWorld({ name: 'Lab', workingDirectory: join(place.base, 'work') });
  await place.client.addMcpServer('lab', { name: 'tides', transport: 'http', url });
}

function ready(started: McpSignInStart): Extract<McpSignInStart, { kind: 'ready' }> {
  if (started.kind !== 'ready') throw new Error(JSON.stringify(started));
  return started;
}

function answerIn({ searchParams, pathname }: URL): { state: string; code: string; iss: string; callback: string } {
  const read = (name: string): string => searchParams.get(name) ?? '';
  const callback = pathname.split('/').at(-1) ?? '';
  return { state: read('state'), code: read('code'), iss: read('iss'), callback };
}

async function signIn(place: Place, oauth: OAuthServers): Promise<ReturnType<typeof answerIn>> {
  const answer = answerIn(await oauth.signIn(ready(await place.start()).url));
  await place.client.finishMcpSignIn(answer);
  await expect.poll(async () => (await place.server()).status).toBe('running');
  return answer;
}

it('[MCP4] [MCP4.1] [MCP4.2] [HTTP11.5] a person signs in, the tokens are refreshed, and when that is refused, the person is asked to sign in again', async () => {
  const oauth = await startOAuthServers();
  const place = await openServer();
  await withServer(oauth.url, place);
  await expect.poll(async () => (await place.server()).cause).toEqual({ code: 'sign-in', expired: false });
  expect(await place.server()).toMatchObject({ status: 'failed', error: 'it requires you to sign in' });

  const started = ready(await place.start());
  expect(started.issuer).toBe(oauth.issuer);
  const sent = new URL(started.url);
  expect(sent.origin).toBe(oauth.issuer);
  expect(Object.fromEntries(sent.searchParams)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    redirect_uri: `${place.url}/oauth/callback/${CALLBACK}`,
    resource: oauth.url,
    scope: 'tools offline_access',
  });
  expect((await place.server()).signIn).toEqual({ state: 'signed-out', pending: true });
  const answer = answerIn(await oauth.signIn(started.url));
  expect(await place.client.finishMcpSignIn(answer)).toEqual({ world: 'lab', server: 'tides' });
  await expect.poll(async () => (await place.server()).status).toBe('running');
  expect(await place.server()).toMatchObject({
    tools: ['mcp__tides__tide'],
    signIn: { state: 'signed-in', issuer: oauth.issuer, pending: false },
  });
  // Each state works once.
  await expect(place.client.finishMcpSignIn(answer)).rejects.toThrow('has expired or was already used');

  await oauth.revokeAccess();
  expect((await place.client.testMcpServer('lab', 'tides')).status).toBe('running');
  expect(oauth.grants).toEqual(['granted', 'granted']);

  await oauth.revokeAccess();
  await oauth.revokeRefresh();
  const expired = await place.client.testMcpServer('lab', 'tides');
  expect(expired).toMatchObject({ status: 'failed', cause: { code: 'sign-in', expired: true } });
  expect(expired.signIn).toEqual({ state: 'expired', issuer: oauth.issuer, pending: false });

  await signIn(place, oauth);
  const out = await place.client.signOutOfMcpServer('lab', 'tides');
  expect(out.signIn).toBeUndefined();
  await expect.poll(async () => (await place.server()).cause).toEqual({ code: 'sign-in', expired: false });

  const audit = (await place.client.audit('lab')).items.map(({ decision }) => decision);
  expect(audit.filter((decision) => decision?.includes('signed'))).toEqual([
    'MCP server signed in',
    'MCP server signed in',
    'MCP server signed out',
  ]);
});

it('[MCP4] no token, code or client secret is stored, logged, exported or returned in clear text', async () => {
  const oauth = await startOAuthServers({
    metadata: (all) => ({ ...all, token_endpoint_auth_methods_supported: ['client_secret_basic'] }),
  });
  const place = await openServer();
  await withServer(oauth.url, place);
  const { code } = await signIn(place, oauth);
  await oauth.revokeAccess();
  expect((await place.client.testMcpServer('lab', 'tides')).status).toBe('running');
  // Two access tokens, two refresh tokens, a client secret and the token of its registration.
  expect(oauth.secrets).toHaveLength(6);
  const shown = {
    server: JSON.stringify(await place.server()),
    exported: await place.client.exportWorld('lab'),
    audit: await place.client.exportAudit('lab', 'jsonl'),
  };
  await place.close();
  const files = readdirSync(place.base, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && each.name !== 'home-secrets')
    .map((each) => readFileSync(join(each.parentPath, each.name), 'latin1'));
  expect(files.length).toBeGreaterThan(2);
  const everything = { ...shown, files: files.join(''), logged: place.logged() };
  for (const [where, text] of Object.entries(everything))
    for (const secret of [code, ...oauth.secrets]) expect(text.includes(secret), `${where} has ${secret}`).toBe(false);
});

it('[MCP4.1] [HTTP11.6] a wrong state, another session, a replayed code or an answer from another server signs nobody in', async () => {
  const oauth = await startOAuthServers();
  const place = await openServer();
  await withServer(oauth.url, place);
  const state = async (): Promise<string | undefined> => (await place.server()).signIn?.state;
  const finish = (answer: object): Promise<Response> =>
    fetch(`${place.url}/api/mcp-sign-ins`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(answer),
    });

  // A forged state, and one from an attempt that was started again.
  const first = answerIn(await oauth.signIn(ready(await place.start()).url));
  const second = answerIn(await oauth.signIn(ready(await place.start()).url));
  for (const wrong of ['x', `${second.state.slice(0, -2)}AA`, first.state])
    await expect(place.client.finishMcpSignIn({ ...second, state: wrong })).rejects.toThrow(
      'has expired or was already used',
    );
  expect(await state()).toBe('signed-out');

  // Another authorization server's answer (mix-up), and a missing issuer.
  await expect(place.client.finishMcpSignIn({ ...second, iss: 'https://evil.example' })).rejects.toThrow(
    'from a different authorization server',
  );
  expect((await place.server()).signIn).toMatchObject({ state: 'signed-out', pending: false });
  const { iss: _iss, ...third } = answerIn(await oauth.signIn(ready(await place.start()).url));
  await expect(place.client.finishMcpSignIn(third)).rejects.toThrow('from a different authorization server');
  expect(oauth.grants).toEqual([]);

  // The answer came to the URL of another server, as in a mix-up by an authorization server that sends no issuer.
  const mixed = answerIn(await oauth.signIn(ready(await place.start()).url));
  await expect(place.client.finishMcpSignIn({ ...mixed, callback: 'another' })).rejects.toThrow(
    'from a different authorization server',
  );
  expect(oauth.grants).toEqual([]);

  // The code of an earlier attempt belongs to another code verifier.
  const fourth = answerIn(await oauth.signIn(ready(await place.start()).url));
  await expect(place.client.finishMcpSignIn({ ...fourth, code: first.code })).rejects.toThrow(
    'rejected the request (invalid_grant)',
  );
  const denied = ready(await place.start());
  const deniedState = new URL(denied.url).searchParams.get('state') ?? '';
  await expect(
    place.client.finishMcpSignIn({ state: deniedState, callback: CALLBACK, error: 'access_denied' }),
  ).rejects.toThrow('denied the sign-in (access_denied)');
  expect((await place.server()).signIn?.error).toContain('access_denied');

  // A browser session must finish what it started: neither no credential, nor the token, nor another session does.
  const open = async (): Promise<Record<string, string>> => {
    const { ticket } = await place.client.startLink();
    const opened = await fetch(`${place.url}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ticket }),
    });
    const { session } = (await opened.json()) as { session: string };
    const cookie = opened.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    return { cookie, 'x-countersign-session': session, 'content-type': 'application/json' };
  };
  const [mine, other] = [await open(), await open()];
  const path = `${place.url}/api/worlds/lab/mcp-servers/tides/sign-in`;
  const begun = await fetch(path, { method: 'POST', headers: mine, body: JSON.stringify({ origin: place.url }) });
  const fifth = answerIn(await oauth.signIn(ready((await begun.json()) as McpSignInStart).url));
  const as = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${place.url}/api/mcp-sign-ins`, { method: 'POST', headers, body: JSON.stringify(fifth) });
  expect((await finish(fifth)).status).toBe(401);
  expect((await as(other)).status).toBe(409);
  await expect(place.client.finishMcpSignIn(fifth)).rejects.toThrow('Another browser session started this sign-in');
  expect(await state()).toBe('signed-out');
  expect((await as(mine)).status).toBe(200);
  expect(await state()).toBe('signed-in');

  // The browser must not be sent to someone else's page.
  for (const origin of ['https://evil.example', 'http://localhost:1', 'http://192.0.2.1'])
    await expect(place.client.startMcpSignIn('lab', 'tides', { origin })).rejects.toMatchObject({ status: 422 });

  // Someone who may no longer change servers can't finish either.
  const { id } = await place.client.addPerson({ name: 'Adam', role: 'admin' });
  const { token } = await place.client.createToken(id, { name: 'x', scopes: ['read', 'admin'] });
  const adam = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const again = await fetch(path, { method: 'POST', headers: adam, body: JSON.stringify({ origin: place.url }) });
  const sixth = answerIn(await oauth.signIn(ready((await again.json()) as McpSignInStart).url));
  await place.client.updatePerson(id, { role: 'viewer' });
  await expect(place.client.finishMcpSignIn(sixth)).rejects.toThrow('may no longer change servers in this world');

  // Another URL gets no token.
  const moved = await startOAuthServers();
  const after = await place.client.updateMcpServer('lab', 'tides', { url: moved.url });
  expect(after.signIn).toBeUndefined();
});

it('[MCP4.4] metadata that name another issuer, another server, no PKCE or a URL without HTTPS start no sign-in', async () => {
  const place = await openServer();
  await place.client.createWorld({ name: 'Lab', workingDirectory: join(place.base, 'work') });
  const cases: [Parameters<typeof startOAuthServers>[0], string][] = [
    [{ metadata: (all) => ({ ...all, issuer: 'https://evil.example' }) }, 'from a different authorization server'],
    [
      { metadata: (all) => ({ ...all, token_endpoint: 'http://198.51.100.7/token' }) },
      '198.51.100.7 does not use HTTPS',
    ],
    [{ metadata: (all) => ({ ...all, authorization_endpoint: 'file:///etc/passwd' }) }, 'does not use HTTPS'],
    [{ metadata: ({ code_challenge_methods_supported: _pkce, ...all }) => all }, 'does not support PKCE'],
    [{ resource: (all) => ({ ...all, resource: 'https://evil.example/mcp' }) }, 'describes a different server'],
    [{ resource: (all) => ({ ...all, authorization_servers: ['http://198.51.100.7'] }) }, 'does not use HTTPS'],
  ];
  for (const [index, [options, words]] of cases.entries()) {
    const { url, secrets } = await startOAuthServers(options);
    await place.client.addMcpServer('lab', { name: `odd-${index}`, transport: 'http', url });
    const started = place.client.startMcpSignIn('lab', `odd-${index}`, { origin: place.url });
    await expect(started).rejects.toThrow(words);
    expect(secrets).toEqual([]);
  }
});

it('[MCP4] without registration, a person enters a client; its secret goes to no other authorization server', async () => {
  const place = await openServer();
  const client = {
    client_id: 'harbour-app',
    client_secret: 'kQ7vB2nM9kLp4Rt6Wz8sYd3Fg5Hj',
    redirect_uris: [`${place.url}/oauth/callback/${CALLBACK}`],
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
  };
  let servers: string[] = [];
  const oauth = await startOAuthServers({
    registers: false,
    clients: [client],
    resource: (all) => ({ ...all, ...(servers.length === 0 ? {} : { authorization_servers: servers }) }),
  });
  await withServer(oauth.url, place);
  const redirectUrl = `${place.url}/oauth/callback/${CALLBACK}`;
  expect(await place.start()).toEqual({ kind: 'client-needed', issuer: oauth.issuer, redirectUrl });
  await expect(place.start({ clientId: 'two words' })).rejects.toMatchObject({ field: 'clientId' });
  const started = await place.start({ clientId: client.client_id, clientSecret: client.client_secret });
  await place.client.finishMcpSignIn(answerIn(await oauth.signIn(ready(started).url)));
  await expect.poll(async () => (await place.server()).status).toBe('running');
  // The next time, the stored client is used.
  expect((await place.start()).kind).toBe('ready');
  const other = await startOAuthServers({ registers: false });
  servers = [other.issuer];
  expect(await place.start()).toMatchObject({ kind: 'client-needed', issuer: other.issuer });
});

it('[MCP4.2] two servers on one PostgreSQL that refresh at the same time use each refresh token once', async () => {
  const oauth = await startOAuthServers();
  const database = await createMigratedDatabase();
  const env = { DATABASE_URL: database, COUNTERSIGN_SECRETS_KEY: 'Zm9yIHRlc3RzIG9ubHksIDMyIGJ5dGVzIGxvbmch' };
  const [first, second] = [await openServer(env), await openServer(env)];
  await withServer(oauth.url, first);
  await signIn(first, oauth);
  await expect.poll(async () => (await second.client.testMcpServer('lab', 'tides')).status).toBe('running');
  for (let round = 1; round <= scaled(3, 1); round += 1) {
    await oauth.revokeAccess();
    const tested = await Promise.all([first, second].map(({ client }) => client.testMcpServer('lab', 'tides')));
    expect(tested.map(({ status, signIn: at }) => [status, at?.state])).toEqual([
      ['running', 'signed-in'],
      ['running', 'signed-in'],
    ]);
    expect(oauth.grants).toEqual(Array.from({ length: round + 1 }, () => 'granted'));
  }
});
