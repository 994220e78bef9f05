import type { Server } from 'node:http';
import { userInfo } from 'node:os';
import { createAdaptorServer } from '@hono/node-server';
import type { Store } from '@countersign/core/ports';
import { createFakeClock } from '@countersign/core/testing';
import { openSqlite } from '@countersign/storage';
import { sessionSchema, type NewSession, type Signer } from '@countersign/protocol';
import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Auth, Env } from '../app/context.js';
import { HttpProblem } from '../app/http-problem.js';
import { listenOn } from '../serve/listen-on.js';
import { send, type Sent } from '../testing/send.js';
import { readTrustedProxies } from './client-address.js';
import { createAuth, type AuthOptions } from './create-auth.js';
import { PROGRAM_TOKEN } from './holders.js';

const TOKEN = 'a-token-of-this-test-0123456789abcdef';
const clock = createFakeClock();
const servers: Server[] = [];
let store: Store;
let port = 0;
let auth: Auth;

beforeEach(async () => {
  store = await openSqlite(':memory:', { clock, synchronous: 'NORMAL' });
  auth = await listen();
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await store.close();
});

/** A small app that shows only who is authenticated, and as whom. */
async function listen(more: Partial<AuthOptions> = {}): Promise<Auth> {
  let own = 0;
  const made = createAuth({
    token: TOKEN,
    tokenHolder: PROGRAM_TOKEN,
    store,
    clock,
    report: (error) => {
      throw error;
    },
    port: () => own,
    host: '127.0.0.1',
    allowHosts: [],
    clientLabel: (secret) => Promise.resolve(secret === 'known' ? 'My editor' : undefined),
    ...more,
  });
  const app = new Hono<Env>();
  app.onError((error) => {
    if (!(error instanceof HttpProblem)) throw error;
    return new Response(error.message, { status: error.status, headers: error.headers });
  });
  app.post('/api/session', made.guard, async (c) => {
    const opened = await made.signIn(await c.req.json<NewSession>(), c);
    if ('code' in opened) throw new Error('no link of a device is used here');
    const { session, setCookie } = opened;
    return c.json({ session }, { headers: { 'set-cookie': setCookie } });
  });
  app.get('/', made.guard, (c) => c.text('open'));
  app.all('/api/who', made.guard, made.middleware, (c) => c.json(c.var.signer));
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  servers.push(server);
  own = await listenOn(server, 0, '127.0.0.1');
  port = own;
  return made;
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const ask = (headers: Record<string, string> = {}, path = '/api/who', more: Sent = {}) =>
  send(`http://127.0.0.1:${port}${path}`, { headers, ...more });
const statusOf = async (headers: Record<string, string>, path?: string): Promise<number> =>
  (await ask(headers, path)).status;
const redeem = (ticket: string, headers: Record<string, string> = {}) =>
  ask(headers, '/api/session', { method: 'POST', headers, body: { ticket } });

/** The session of a browser that opened the start link. */
async function openSession(from: Auth = auth): Promise<{ cookie: string; half: string; setCookie: string }> {
  const { status, headers, text } = await redeem(from.newTicket());
  expect(status).toBe(200);
  const setCookie = headers['set-cookie']?.[0] ?? '';
  return { setCookie, cookie: setCookie.split(';')[0] ?? '', half: sessionSchema.parse(JSON.parse(text)).session };
}

describe('the token', () => {
  it('[WHO1] [LOG1.3] authenticates and signs as the token, with the label of its client', async () => {
    const signer = async (headers: Record<string, string>): Promise<Signer> =>
      JSON.parse((await ask({ ...bearer(TOKEN), ...headers })).text) as Signer;
    const who = { kind: 'token', id: 'token', name: 'token' };
    expect(await signer({ 'user-agent': 'countersign-terminal' })).toEqual({ who, via: 'terminal' });
    expect(await signer({})).toEqual({ who, via: 'http' });
    expect(await signer({ 'x-countersign-client': 'known' })).toEqual({ who, via: 'My editor' });
    expect(await signer({ 'x-countersign-client': 'made up' })).toEqual({ who, via: 'http' });
  });

  it('[WHO1] rejects any other credential', async () => {
    expect(await statusOf({})).toBe(401);
    for (const wrong of [bearer(''), bearer('x'), bearer(`${TOKEN}x`), { authorization: `Basic ${TOKEN}` }])
      expect(await statusOf(wrong)).toBe(401);
    expect(await statusOf({}, `/api/who?token=${TOKEN}`)).toBe(401);
    expect(await statusOf({ cookie: `token=${TOKEN}` })).toBe(401);
  });
});

describe('the start link', () => {
  it('[WHO1.2] [LOG1.5] a ticket opens one session, which needs both the cookie and the header', async () => {
    const { cookie, half, setCookie } = await openSession();
    expect(cookie).toMatch(new RegExp(`^countersign_${port}=[0-9a-f]{16}\\.[\\w-]{43}$`));
    for (const attribute of ['HttpOnly', 'SameSite=Strict', 'Path=/']) expect(setCookie).toContain(`; ${attribute};`);
    const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0' };
    const both = { cookie, 'x-countersign-session': half, ...browser };
    const { status, text } = await ask(both);
    expect({ status, signer: JSON.parse(text) as unknown }).toEqual({
      status: 200,
      signer: { who: { kind: 'person', id: 'owner', name: userInfo().username }, via: 'Firefox on Linux' },
    });
    expect(await statusOf({ cookie })).toBe(401);
    expect(await statusOf({ 'x-countersign-session': half })).toBe(401);
    expect(await statusOf({ ...both, 'x-countersign-session': `${half}x` })).toBe(401);
    const other = await openSession();
    expect(await statusOf({ cookie, 'x-countersign-session': other.half })).toBe(401);
    expect(await statusOf({ ...both, ...bearer('wrong') })).toBe(401);
  });

  it('[WHO1.1] a ticket works once', async () => {
    const ticket = auth.newTicket();
    expect((await redeem(ticket)).status).toBe(200);
    const again = await redeem(ticket);
    expect({ status: again.status, cookie: again.headers['set-cookie'] }).toEqual({ status: 401, cookie: undefined });
  });

  it('[WHO1.1] a ticket expires after a minute', async () => {
    const [first, second] = [auth.newTicket(), auth.newTicket()];
    // Waits until all tickets are stored.
    expect((await redeem(auth.newTicket())).status).toBe(200);
    clock.advance(59_999);
    expect((await redeem(first)).status).toBe(200);
    clock.advance(1);
    expect((await redeem(second)).status).toBe(401);
  });

  it("[WHO1.7] a session survives a restart, and the stored data can't be used to sign in", async () => {
    const { cookie, half } = await openSession();
    const stored = await store.read(async (r) => await r.credential(cookie.split(/[=.]/)[1] ?? ''));
    expect(stored).toMatchObject({ credential: { kind: 'session', endedAt: null }, person: { id: 'owner' } });
    expect(JSON.stringify(stored)).not.toContain(half);
    expect(JSON.stringify(stored)).not.toContain(cookie.split('.')[1]);
    const before = port;
    await listen();
    const headers = { cookie: cookie.replace(String(before), String(port)), 'x-countersign-session': half };
    expect(await statusOf(headers)).toBe(200);
    // Each use extends it.
    for (let use = 0; use < 3; use += 1) {
      clock.advance(29 * 24 * 60 * 60 * 1000);
      expect(await statusOf(headers)).toBe(200);
    }
    clock.advance(30 * 24 * 60 * 60 * 1000);
    expect(await statusOf(headers)).toBe(401);
  });

  it('[WHO1.9] the server’s token can be pasted, and is not stored', async () => {
    const opened = await ask({}, '/api/session', { method: 'POST', body: { token: TOKEN } });
    expect(opened.status).toBe(200);
    expect(JSON.stringify(opened.headers) + opened.text).not.toContain(TOKEN);
    expect((await ask({}, '/api/session', { method: 'POST', body: { token: `${TOKEN}x` } })).status).toBe(401);
  });
});

describe('request origin', () => {
  it('[WHO1.4] rejects an unknown Host, with any credential (DNS rebinding)', async () => {
    const wrong = [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      '127.0.0.1:1',
      `localhost.evil.example:${port}`,
    ];
    for (const host of [...wrong, `127.0.0.1.evil.example:${port}`, `8.8.8.8:${port}`]) {
      expect({ host, status: await statusOf({ ...bearer(TOKEN), host }) }).toEqual({ host, status: 403 });
      expect(await statusOf({ host }, '/')).toBe(403);
    }
    for (const name of ['127.0.0.1', 'localhost', 'LOCALHOST', '127.9.9.9', '[::1]'])
      expect({ name, status: await statusOf({ ...bearer(TOKEN), host: `${name}:${port}` }) }).toEqual({
        name,
        status: 200,
      });
  });

  it('[WHO1.4] rejects an unknown Origin, with any credential (CSRF)', async () => {
    const wrong = [
      'http://evil.example',
      'null',
      `https://127.0.0.1:${port}`,
      'http://127.0.0.1:1',
      'http://localhost',
    ];
    for (const origin of [...wrong, `http://127.0.0.1:${port}.evil.example`, 'chrome-extension://abc', 'nonsense'])
      expect({ origin, status: await statusOf({ ...bearer(TOKEN), origin }) }).toEqual({ origin, status: 403 });
    for (const origin of [`http://127.0.0.1:${port}`, `http://localhost:${port}`])
      expect(await statusOf({ ...bearer(TOKEN), origin })).toBe(200);
    expect((await redeem(auth.newTicket(), { origin: 'http://evil.example' })).status).toBe(403);
  });

  it('[WHO1.4] rejects a page on another port of this host', async () => {
    for (const site of ['same-site', 'cross-site'])
      expect(await statusOf({ ...bearer(TOKEN), 'sec-fetch-site': site })).toBe(403);
    for (const site of ['same-origin', 'none'])
      expect(await statusOf({ ...bearer(TOKEN), 'sec-fetch-site': site })).toBe(200);
    // Links to the web app from other sites are fine: its files contain no data.
    expect(await statusOf({ 'sec-fetch-site': 'cross-site' }, '/')).toBe(200);
  });

  it('[WHO1.10] tells browsers to use https for a public URL with https, and for no other host', async () => {
    const header = async (host?: string) =>
      (await ask({ ...bearer(TOKEN), ...(host === undefined ? {} : { host }) })).headers['strict-transport-security'];
    await listen({ allowHosts: ['agents.example'], publicUrl: 'https://agents.example' });
    expect(await header('agents.example')).toBe('max-age=31536000');
    expect(await header()).toBeUndefined();
    await listen({ allowHosts: ['agents.example'], publicUrl: 'http://agents.example' });
    expect(await header('agents.example')).toBeUndefined();
  });

  it('[WHO1.4] accepts hosts from --allow-host, over HTTPS too', async () => {
    await listen({ allowHosts: ['Agents.example', 'other.example:8443'] });
    const from = (host: string, origin?: string) =>
      statusOf({ ...bearer(TOKEN), host, ...(origin === undefined ? {} : { origin }) });
    expect(await from('agents.example', 'https://agents.example')).toBe(200);
    expect(await from('agents.example:99')).toBe(200);
    expect(await from('other.example:8443', 'https://other.example:8443')).toBe(200);
    expect(await from('other.example')).toBe(403);
    expect(await from('evil.example')).toBe(403);
  });

  it("[WHO1.4] a server bound to all addresses accepts this machine's addresses, but no other names", async () => {
    await listen({ host: '0.0.0.0' });
    expect(await statusOf({ ...bearer(TOKEN), host: `127.0.0.1:${port}` })).toBe(200);
    expect(await statusOf({ ...bearer(TOKEN), host: `evil.example:${port}` })).toBe(403);
    expect(await statusOf({ ...bearer(TOKEN), host: `203.0.113.7:${port}` })).toBe(403);
  });
});

describe('failed attempts', () => {
  it('[WHO1.5] are rate-limited, and the limit recovers over time', async () => {
    const wrong = async (): Promise<number> => statusOf(bearer('wrong'));
    const statuses = await Promise.all(Array.from({ length: 20 }, wrong));
    expect(new Set(statuses)).toEqual(new Set([401]));
    const limited = await ask(bearer('wrong'));
    expect(limited.status).toBe(429);
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    expect((await redeem('no ticket')).status).toBe(429);
    // The right token is never rate-limited, and requests without a credential don't count as attempts.
    expect(await statusOf(bearer(TOKEN))).toBe(200);
    expect(await statusOf({})).toBe(401);
    clock.advance(Number(limited.headers['retry-after']) * 1000);
    expect(await wrong()).toBe(401);
  });
});

describe('failed attempts behind a proxy', () => {
  it('[WHO1.5] count per client address if the proxy is trusted', async () => {
    await listen({ clientAddress: readTrustedProxies('127.0.0.1') });
    const from = (address: string) => statusOf({ ...bearer('wrong'), 'x-forwarded-for': address });
    for (let attempt = 0; attempt < 20; attempt += 1) await from('203.0.113.7');
    expect([await from('203.0.113.7'), await from('203.0.113.8')]).toEqual([429, 401]);
  });
});

describe('failed attempts on one person', () => {
  it('[WHO1.5] count together, from whatever addresses they come', async () => {
    const behind = await listen({ clientAddress: readTrustedProxies('127.0.0.1') });
    const { cookie } = await openSession(behind);
    const guess = (address: string): Promise<number> =>
      statusOf({ cookie, 'x-countersign-session': 'a guess', 'x-forwarded-for': address });
    for (let attempt = 1; attempt <= 20; attempt += 1) expect(await guess(`203.0.113.${attempt}`)).toBe(401);
    expect(await guess('203.0.113.99')).toBe(429);
    // Others aren't affected.
    expect(await statusOf({ ...bearer('wrong'), 'x-forwarded-for': '203.0.113.98' })).toBe(401);
  });
});

describe('security headers', () => {
  it('[WHO1] every response has them, and there is no CORS', async () => {
    const answers = [await ask(bearer(TOKEN)), await ask({}), await ask({ host: 'evil.example' }), await ask({}, '/')];
    for (const { headers } of answers) {
      expect(headers['content-security-policy']).toContain("script-src 'self'");
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers['content-security-policy']).not.toContain('unsafe');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    expect(answers[0]?.headers['cache-control']).toBe('no-store');
    const preflight = await ask({ origin: 'http://evil.example' }, '/api/who', { method: 'OPTIONS' });
    expect(preflight.headers['access-control-allow-origin']).toBeUndefined();
  });
});
