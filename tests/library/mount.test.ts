import type { IncomingMessage } from 'node:http';
import { defineTool, openCountersign, openWorld, scripted, type Countersign } from 'countersign';
import { mountCountersign, type MountOptions, type MountedApi } from 'countersign/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { routes } from '../../packages/server/src/routes/index.js';
import { CLIENT, startOidcAccounts } from '../support/oidc-accounts.js';
import { expectServerErrors } from '../support/server-errors.js';

const TOKEN = 'a-token-of-a-program-that-mounts-it-0123456789';

interface Served {
  url: string;
  close(): Promise<void>;
}
type Mount = (more: Partial<MountOptions>) => MountedApi;
const { servers } = (await import(new URL('fixtures/servers.mjs', import.meta.url).href)) as {
  servers: Record<string, (mount: Mount) => Promise<Served>>;
};

interface AskInit {
  method?: string;
  body?: string;
  headers?: Record<string, string>;
}

let removed: string[] = [];
let countersign: Countersign;
let served: Served | undefined;
let errors: unknown[] = [];

beforeEach(async () => {
  removed = [];
  errors = [];
  const remove = defineTool({
    name: 'remove',
    description: 'Removes a file.',
    parameters: z.object({ path: z.string() }),
    approval: { required: true },
    execute: ({ path }) => removed.push(path),
  });
  const call = { name: 'remove', arguments: { path: 'a' } };
  countersign = await openCountersign({
    store: ':memory:',
    providers: [scripted([{ say: 'I would', calls: [call] }, 'done'])],
    tools: [remove],
    worlds: [{ name: 'Harbour', agents: [{ name: 'Ada', provider: 'scripted', model: 'any', tools: ['*'] }] }],
  });
});
afterEach(async () => {
  await served?.close();
  served = undefined;
  await countersign.close();
});

const authorize = (request: Request): string | undefined =>
  request.headers.get('x-user') === null ? undefined : `user ${request.headers.get('x-user')}`;

async function start(name: string, options: MountOptions): Promise<Served> {
  const onError = (error: unknown): void => void errors.push(error);
  const mount: Mount = (more) => mountCountersign(countersign, { onError, ...options, ...more });
  const begin = servers[name];
  if (begin === undefined) throw new Error(`there is no server ${name}`);
  served = await begin(mount);
  return served;
}

async function ask(path: string, init: RequestInit & { user?: string; json?: unknown } = {}) {
  const { user, json, ...rest } = init;
  const response = await fetch(`${served?.url ?? ''}${path}`, {
    ...rest,
    ...(json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }),
    headers: {
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(user === undefined ? {} : { 'x-user': user }),
      ...(rest.headers as Record<string, string> | undefined),
    },
  });
  return { status: response.status, body: (await response.json().catch(() => undefined)) as Record<string, never> };
}

describe.each(Object.keys(servers))('mounted in %s', (name) => {
  it('[LIB5] serves the API: send, stream, list and decide, signed with the name that the program gives', async () => {
    const { url } = await start(name, { authorize });
    const chat = await ask('/api/worlds/harbour/chats', { user: 'ada', json: {} });
    expect(chat.status).toBe(201);
    const path = `/api/worlds/harbour/chats/${String(chat.body['id'])}`;
    const stop = new AbortController();
    const stream = await fetch(`${url}${path}/events?after=0`, { headers: { 'x-user': 'ada' }, signal: stop.signal });
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const said = await ask(`${path}/messages`, { user: 'ada', json: { content: 'Grüße' } });
    expect(said.status).toBe(202);
    let text = '';
    const decoder = new TextDecoder();
    for await (const bytes of stream.body ?? []) {
      text += decoder.decode(bytes as Uint8Array, { stream: true });
      if (text.includes('TOOL_APPROVAL_REQUESTED') && text.includes('Grüße')) break;
    }
    stop.abort();
    const { body } = await ask('/api/worlds/harbour/approvals', { user: 'ada' });
    const [approval] = (body as { items?: { approvalId: string; callHash: string }[] }).items ?? [];
    const decision = { tool_call_id: approval?.approvalId, callHash: approval?.callHash, decision: 'approve' };
    expect(await ask('/api/worlds/harbour/tool-results', { user: 'bob', json: decision })).toMatchObject({
      status: 200,
    });
    await countersign.quiet();
    expect(removed).toEqual(['a']);
    const audit = await (await countersign.world('Harbour')).audit();
    expect(audit.find(({ kind }) => kind === 'decision')).toMatchObject({
      who: { kind: 'person', id: 'user bob', name: 'user bob' },
      via: 'http',
    });
    expect((await fetch(new URL('/', url))).status).toBe(name === 'node' ? 404 : 200);
    expect(errors).toEqual([]);
  });

  it('[LIB5.1] answers 401 without a name or with a wrong token, and 403 to pages of other sites', async () => {
    await start(name, { authorize, token: TOKEN });
    expect((await ask('/api/worlds')).status).toBe(401);
    expect((await ask('/api/worlds', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
    expect((await ask('/api/worlds', { headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(200);
    const evil = { origin: 'https://evil.example' };
    expect((await ask('/api/worlds', { user: 'ada', headers: evil })).status).toBe(403);
    expect((await ask('/api/worlds', { user: 'ada', headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403);
    const own = { origin: new URL(served?.url ?? '').origin };
    expect((await ask('/api/worlds', { user: 'ada', headers: own })).status).toBe(200);
  });

  it('[LIB5.2] can serve only approvals', async () => {
    await start(name, { authorize, only: 'approvals' });
    expect((await ask('/api/worlds/harbour/approvals', { user: 'ada' })).status).toBe(200);
    expect((await ask('/api/worlds/harbour/policy', { user: 'ada' })).status).toBe(404);
    expect((await ask('/api/worlds/harbour/events', { user: 'ada' })).status).toBe(404);
    expect((await ask('/api/worlds/harbour/approvals/events')).status).toBe(401);
  });
});

describe('mountCountersign', () => {
  it.each<[string, unknown, string]>([
    ['no authentication', {}, 'Without it or a token, anyone could approve calls'],
    ['no options', undefined, 'options: must be an object'],
    ['a short token', { token: 'short' }, 'token: must have at least 32 characters'],
    ['a name instead of a check', { authorize: 'ada' }, 'authorize: must be a function'],
    ['an unknown key', { authorise: authorize, token: TOKEN }, 'unknown key "authorise"'],
    ['another part', { token: TOKEN, only: 'chats' }, 'only: must be "approvals"'],
    ['a path with a slash at its end', { token: TOKEN, path: '/x/' }, 'path: must begin with /'],
    ['a web app without a token', { webApp: 'http://127.0.0.1:1', authorize }, 'token: is missing'],
    ['a web app below a path', { webApp: 'http://127.0.0.1:1/x', token: TOKEN }, 'webApp: must be the URL'],
    [
      'a web app with another sign-in',
      { webApp: 'http://a.test', token: TOKEN, authorize },
      "authorize: can't be used",
    ],
    ['any origin', { token: TOKEN, origins: ['*'] }, 'origins: must be a list of origins'],
  ])('[LIB5.1] refuses %s', (_, options, sentence) => {
    expect(() => mountCountersign(countersign, options as MountOptions)).toThrow(sentence);
  });

  it('[LIB5.1] refuses an object that this library did not open, and accepts a world from openWorld', async () => {
    expect(() => mountCountersign({} as never, { token: TOKEN })).toThrow(
      'pass what openCountersign or openWorld returned',
    );
    const world = await openWorld(':memory:', { name: 'Small' });
    const api = mountCountersign(world, { token: TOKEN });
    const request = new Request('http://x.test/api/worlds', { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(await (await api.fetch(request)).json()).toMatchObject({ items: [{ id: 'small' }] });
    await world.close();
  });

  it.each<[string, unknown]>([
    ['true', true],
    ['an empty name', ''],
    ['an object without an id', { name: 'ada' }],
    ['an object with an empty id', { id: '', name: 'ada' }],
    ['an object with an id that the audit log uses itself', { id: 'program', name: 'ada' }],
    ['an object with other fields', { id: 'u1', name: 'ada', kind: 'system' }],
    ['null', null],
    ['spaces', '   '],
    ['a name with a line break', 'ada\nbob'],
    ['a name with an escape sequence', 'ada\u001b[2J'],
    ['a name with reordered text', 'ada\u202ebob'],
    ['a name that the audit log uses itself', 'System'],
  ])('[LIB5.1] answers 401 if `authorize` returns %s', async (_, answer) => {
    const api = mountCountersign(countersign, { authorize: () => answer as string });
    expect((await api.fetch(new Request('http://x.test/api/worlds'))).status).toBe(401);
  });

  it('[LIB5.1] answers 500 if `authorize` throws, and reports it', async () => {
    expectServerErrors(/^\/api\/worlds$/);
    const authorizing = (): never => {
      throw new Error('the user database is down');
    };
    const api = mountCountersign(countersign, { authorize: authorizing, onError: (error) => errors.push(error) });
    const response = await api.fetch(new Request('http://x.test/api/worlds'));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('user database');
    expect(errors.map(String)).toEqual([expect.stringContaining('the user database is down')]);
  });

  it('[LIB5] accepts other origins if they are listed, and refuses event streams without a socket', async () => {
    const onError = (error: unknown): void => void errors.push(error);
    const api = mountCountersign(countersign, { token: TOKEN, origins: ['https://app.example.com'], onError });
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      origin: 'https://app.example.com',
      'sec-fetch-site': 'cross-site',
    };
    expect((await api.fetch(new Request('http://x.test/api/worlds', { headers }))).status).toBe(200);
    const streaming = await api.fetch(new Request('http://x.test/api/worlds/harbour/events', { headers }));
    expect([streaming.status, await streaming.text()]).toEqual([501, expect.stringContaining('its Node handler')]);
  });

  it.each<[string, MountOptions, RegExp]>([
    [
      'only approvals',
      { token: TOKEN, only: 'approvals' },
      /^\S+ \/(worlds\/\{world\}\/(approvals|tool-results|grants)|approvals|decisions)/,
    ],
    [
      'the whole API',
      { token: TOKEN },
      /^\S+ \/(worlds|health|approvals|decisions)(?!.*(\/sign-in$|\/external\/|\/runs|\/schedules))/,
    ],
    [
      'the web app',
      { token: TOKEN, webApp: 'http://x.test' },
      /^\S+ \/(worlds|health|approvals|decisions|session|tickets|me)(?!.*(\/sign-in$|\/external\/|\/runs|\/schedules|\/push))|^get \/(providers|sign-in$)|passkeys|\/sign-in\/oidc/,
    ],
  ])('[LIB5] [LIB5.2] [LIB5.3] %s: serves these routes of all, and no other', async (_, options, expected) => {
    const api = mountCountersign(countersign, options);
    const headers = { authorization: `Bearer ${TOKEN}`, host: 'x.test' };
    const description = await api.fetch(new Request('http://x.test/api/openapi.json', { headers }));
    const { paths } = (await description.json()) as { paths: Record<string, Record<string, unknown>> };
    const served = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const all = routes.map(({ method, path }) => `${method} ${path}`);
    expect(served.toSorted()).toEqual(all.filter((each) => expected.test(each)).toSorted());
    for (const { method, path } of routes.filter((route) => !served.includes(`${route.method} ${route.path}`))) {
      const url = `http://x.test/api${path.replaceAll(/\{\w+\}/g, 'harbour')}`;
      const { status } = await api.fetch(new Request(url, { method: method.toUpperCase(), headers }));
      expect([404, 405], `${method} ${path}`).toContain(status);
    }
  });

  it('[LIB5.2] answers 404 outside of its path', async () => {
    const api = mountCountersign(countersign, { token: TOKEN, path: '/countersign' });
    const headers = { authorization: `Bearer ${TOKEN}` };
    for (const [path, status] of [
      ['/countersign/api/worlds', 200],
      ['/api/worlds', 404],
      ['/countersigned/api/worlds', 404],
      ['/%63ountersign/api/worlds', 404],
    ] as const) {
      const response = await api.fetch(new Request(`http://x.test${path}`, { headers }));
      expect([path, response.status]).toEqual([path, status]);
    }
  });

  it('[LIB5.3] serves the web app for one host, and signs browsers in with start links', async () => {
    const api = mountCountersign(countersign, { token: TOKEN, webApp: 'https://agents.example.com' });
    const ask = async (path: string, { headers, ...init }: AskInit = {}) => {
      const all = { host: 'agents.example.com', ...headers };
      return await api.fetch(new Request(`https://agents.example.com${path}`, { ...init, headers: all }));
    };
    const page = await ask('/');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect((await ask('/', { headers: { host: 'evil.example' } })).status).toBe(403);
    expect((await ask('/api/worlds')).status).toBe(401);
    const start = new URL(api.newStartUrl());
    expect(start.origin).toBe('https://agents.example.com');
    const redeem = {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'https://agents.example.com' },
      body: JSON.stringify({ ticket: start.hash.replace('#ticket=', '') }),
    };
    const session = await ask('/api/session', redeem);
    expect([session.status, session.headers.get('set-cookie')]).toEqual([200, expect.stringContaining('HttpOnly')]);
    expect((await ask('/api/session', redeem)).status).toBe(401);
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect(await (await ask('/api/providers', { headers })).json()).toMatchObject({ items: [{ id: 'scripted' }] });
    const adding = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{}' };
    expect((await ask('/api/providers', adding)).status).toBe(405);
    const plain = mountCountersign(countersign, { token: TOKEN });
    expect(() => plain.newStartUrl()).toThrow('mount with webApp to use start links');
  });

  it('[LIB5.3] [WHO8] signs people in with OIDC, and says that a program manages its people', async () => {
    const idp = await startOidcAccounts();
    const origin = 'https://agents.example.com';
    idp.register(`${origin}/oidc/callback`);
    idp.accounts.set('u1', { name: 'Ada Lovelace', groups: ['release'] });
    const oidc = { issuer: idp.issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret, name: 'Acme' } as const;
    const options = { token: TOKEN, webApp: origin, oidc: { ...oidc, roles: { release: 'approver' } } } as const;
    expect(() => mountCountersign(countersign, options)).toThrow('secretsKey');
    const { webApp: _webApp, ...withoutWebApp } = options;
    expect(() => mountCountersign(countersign, withoutWebApp)).toThrow('oidc: signs people in to the web app');
    const keyed = await openCountersign({
      store: ':memory:',
      providers: [scripted(['ok'])],
      secretsKey: '0123456789abcdef'.repeat(4),
      worlds: [{ name: 'Harbour', agents: [] }],
    });
    try {
      const api = mountCountersign(keyed, options);
      const ask = async (path: string, headers: Record<string, string>, body?: unknown): Promise<Response> => {
        const json = body === null ? {} : { body: JSON.stringify(body) };
        const sent = body === undefined ? {} : { method: 'POST', ...json };
        const all = { host: 'agents.example.com', origin, 'content-type': 'application/json', ...headers };
        return await api.fetch(new Request(`${origin}/api${path}`, { ...sent, headers: all }));
      };
      expect(await (await ask('/sign-in', {})).json()).toEqual({ oidc: { name: 'Acme' } });
      const started = await ask('/sign-in/oidc', {}, null);
      const { url = '', attempt, detail } = (await started.json()) as Record<string, string>;
      expect([started.status, detail]).toEqual([200, undefined]);
      const { searchParams } = await idp.signIn(url, 'u1');
      const [state, code, iss] = ['state', 'code', 'iss'].map((name) => searchParams.get(name));
      const opened = await ask('/session', {}, { oidc: { attempt, state, code, iss } });
      expect(opened.status).toBe(200);
      const { session } = (await opened.json()) as { session: string };
      const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
      const me = await ask('/me', { cookie, 'X-Countersign-Session': session });
      expect(await me.json()).toMatchObject({ id: 'ada-lovelace', role: 'approver', mounted: true });
    } finally {
      await keyed.close();
      await idp.stop();
    }
  });

  it('[LIB5] `authorize` sees what the program’s middleware added to the request', async () => {
    const users: unknown[] = [];
    const { createServer } = await import('node:http');
    const api = mountCountersign(countersign, {
      authorize(_, incoming: (IncomingMessage & { user?: string }) | undefined) {
        users.push(incoming?.user);
        return incoming?.user;
      },
    });
    const server = createServer((request, response) => api.node(Object.assign(request, { user: 'grace' }), response));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    expect((await fetch(`http://127.0.0.1:${port}/api/worlds`)).status).toBe(200);
    expect(users).toEqual(['grace']);
    server.closeAllConnections();
    server.close();
  });
});
