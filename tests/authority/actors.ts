import { CLIENT_HEADER, SESSION_HEADER, type CreatedToken, type NewToken, type Person } from '@countersign/protocol';
import { askHuman } from '@countersign/tools';
import { hashSecret, randomSecret } from '../../packages/server/src/auth/secrets.js';
import { createMetrics } from '../../packages/server/src/metrics/create-metrics.js';
import { insertCredential, makeSecret } from '../../packages/server/src/people/credentials.js';
import {
  openApp,
  TOKEN,
  until,
  type AppFixture,
  type AppFixtureOptions,
} from '../../packages/server/src/testing/app-fixture.js';
import { removing } from '../../packages/server/src/testing/harbour.js';
import { ask, openLinked, signIn, signInAs } from '../../packages/server/src/testing/sign-in.js';
import { createSoftPasskey, insertPasskey } from '../../packages/server/src/testing/soft-passkey.js';
import { onTestFinished } from 'vitest';

type Headers = Record<string, string>;

/** One of the people and credentials in docs/spec/authority.md. */
export interface Actor {
  readonly who: string;
  /** The id of its person. Absent if it belongs to nobody in particular. */
  readonly me?: string;
  /** Its credential. */
  readonly headers: Headers;
  /** Set if its person may not read this world. */
  readonly isStranger?: true;
  /** Set if its credential isn't valid. */
  readonly isUnknown?: true;
  /** Set if its person has a role in this world only. */
  readonly isLocal?: true;
  /** The only agent whose calls it proposes. Others name `claude`. */
  readonly agent?: string;
}

/** A server with two worlds, and everybody who may or may not do something in the first one, `alpha`. */
export interface Matrix {
  readonly t: AppFixture;
  readonly actors: readonly Actor[];
  /** A chat of the world with a call that waits for approval. */
  readonly chat: string;
  readonly approval: string;
  /** Adds another such chat, or one with a question. */
  readonly ask: (what?: 'call' | 'question') => Promise<{ chat: string; approval: string }>;
}

/** Of all external agents. */
const TOOLS = ['claude__*', 'codex__*', 'remove'];
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const bearer = (token: string): Headers => ({ Authorization: `Bearer ${token}` });

export async function openMatrix(options: Pick<AppFixtureOptions, 'store' | 'routes'> = {}): Promise<Matrix> {
  const t = await openApp({
    ...options,
    script: ({ messages }) => {
      if (messages.some(({ role }) => role === 'tool')) return 'done';
      if (messages.at(-1)?.content !== 'question') return { calls: [{ name: 'remove' }] };
      return { calls: [{ name: 'ask_human', arguments: { question: 'Sure?' } }] };
    },
    tools: [removing().tool, askHuman()],
    context: { metrics: createMetrics() },
    // A database has its own clock.
    now: Date.now(),
  });
  if (options.store !== undefined) keepTime(t);
  const agents = await makeWorlds(t);
  const { chat, approval } = await askForApproval(t);
  return { t, chat, approval, ask: (what) => askForApproval(t, what), actors: await makeActors(t, agents) };
}

/** The clock of a database moves: without heartbeats, this process would count as dead and start no call. */
function keepTime({ clock }: AppFixture): void {
  const ticking = setInterval(() => clock.advance(Math.max(0, Date.now() - clock.now())), 200);
  onTestFinished(() => clearInterval(ticking));
}

async function makeWorlds(t: AppFixture): Promise<Record<'alpha' | 'beta', string>> {
  const made = async (world: string): Promise<string> => {
    await created(t, '/worlds', { name: world });
    await created(t, `/worlds/${world}/agents`, { name: 'Ada', provider: 'scripted', model: 'any', tools: ['*'] });
    const agent = { name: 'Claude', program: 'claude', tools: TOOLS };
    return (await created<{ token: string }>(t, `/worlds/${world}/external/agents`, agent)).token;
  };
  const agents = { alpha: await made('alpha'), beta: await made('beta') };
  await created(t, '/providers', { kind: 'vllm', name: 'box', baseUrl: 'http://127.0.0.1:9' });
  await t.api('PUT', '/groups/crew', { people: [] });
  // Those whom others try to change.
  await created(t, '/people', { name: 'Vera', role: null, worldRoles: { alpha: 'viewer' } });
  await created(t, '/people', { name: 'Sid', role: 'approver' });
  await created(t, '/people', { name: 'Otto', role: 'owner' });
  return agents;
}

async function askForApproval(t: AppFixture, content = 'call'): Promise<{ chat: string; approval: string }> {
  const { id: chat } = await created<{ id: string }>(t, '/worlds/alpha/chats', {});
  await t.api('POST', `/worlds/alpha/chats/${chat}/messages`, { content });
  const approval = await until(async () => {
    const path = `/worlds/alpha/approvals?chat=${chat}`;
    const { items } = (await t.api<{ items: { approvalId: string }[] }>('GET', path)).body;
    return items[0]?.approvalId;
  }, 'a call waits for approval');
  return { chat, approval };
}

async function makeActors(t: AppFixture, agents: Record<'alpha' | 'beta', string>): Promise<Actor[]> {
  const { store } = t.engine.runtime;
  const actors: Actor[] = [];
  let made = 0;
  const add = async (role: string | null, worldRoles = {}): Promise<string> => {
    made += 1;
    return (await created<Person>(t, '/people', { name: `Person ${made}`, role, worldRoles })).id;
  };
  const put = (who: string, me: string | undefined, headers: Headers, more: Partial<Actor> = {}): void => {
    actors.push({ who, headers, ...(me === undefined ? {} : { me }), ...more });
  };
  const browser = async (
    who: string,
    role: string | null,
    worldRoles = {},
    more: Partial<Actor> = {},
  ): Promise<void> => {
    const me = await add(role, worldRoles);
    put(who, me, await signInAs(t, me), more);
  };

  put('nobody', 'otto', {}, { isUnknown: true });
  const leaver = await add('owner');
  const left = await signInAs(t, leaver);
  const revoked = await ownToken(t, leaver, left, ['read', 'chat', 'sign', 'admin']);
  await t.api('DELETE', `/people/${leaver}/tokens/${revoked.id}`);
  await t.api('DELETE', `/people/${leaver}/sessions`);
  put('ended token', leaver, bearer(revoked.token), { isUnknown: true });
  put('ended session', leaver, left, { isUnknown: true });
  const { open } = await created<{ open: string }>(t, `/people/${await add('owner')}/invitations`);
  put('invitation that nobody opened', 'otto', bearer(open.split('=')[1] ?? ''), { isUnknown: true });

  await browser('person without a role', null, {}, { isStranger: true });
  for (const role of ['viewer', 'member', 'approver', 'admin'])
    await browser(`${role} of this world`, null, { alpha: role });
  await browser('admin of another world', null, { beta: 'admin' }, { isStranger: true });
  await browser('viewer of the server', 'viewer');
  await browser('admin of the server', 'admin');
  await browser('owner', 'owner');

  const linker = await add('owner');
  const linking = await signInAs(t, linker);
  const link = await ask(t, 'POST', '/me/devices/link', linking, {});
  put('owner, in a browser that a link opened', linker, await openLinked(t, linking, link.body));
  const keeper = await add('owner');
  await insertPasskey(store, keeper, createSoftPasskey());
  put('owner with a passkey, signed in last week', keeper, await oldSession(t, keeper));
  const other = await add('owner');
  put('owner without a passkey, signed in last week', other, await oldSession(t, other));

  put("the server's token", undefined, bearer(TOKEN));
  const holder = await add('owner');
  const session = await signInAs(t, holder);
  const subsets: NewToken['scopes'][] = [
    ['read'],
    ['read', 'chat'],
    ['read', 'chat', 'sign'],
    ['read', 'chat', 'admin'],
    ['read', 'chat', 'sign', 'admin'],
    ['sign'],
  ];
  let signing: Headers = {};
  for (const scopes of subsets) {
    const headers = bearer((await ownToken(t, holder, session, scopes)).token);
    put(`owner's token with ${scopes.join(', ')}`, holder, headers);
    if (scopes.join() === 'read,chat,sign') signing = headers;
  }
  const viewer = await add(null, { alpha: 'viewer' });
  const viewing = await ownToken(t, viewer, await signInAs(t, viewer), ['read']);
  put("viewer's token with read", viewer, bearer(viewing.token), { isLocal: true });
  const local = await add(null, { alpha: 'admin' });
  const managing = await ownToken(t, local, await signInAs(t, local), ['read', 'chat', 'sign', 'admin']);
  put('token with read, chat, sign, admin of an admin of this world', local, bearer(managing.token), { isLocal: true });
  const stranger = await add(null, { beta: 'admin' });
  const elsewhere = await ownToken(t, stranger, await signInAs(t, stranger), ['read', 'chat']);
  put('token with read, chat of an admin of another world', stranger, bearer(elsewhere.token), { isStranger: true });
  const reader = await add('owner');
  const { token } = await ownToken(t, reader, await signInAs(t, reader), ['read']);
  put("browser that the owner's token with read opened", reader, await signIn(t, { token }));
  const invited = await add('member');
  await signInAs(t, invited);
  put('invited member of the server, signed in elsewhere', invited, await signInAs(t, invited));
  const client = async (who: string, approvals: boolean): Promise<void> => {
    const registered = {
      label: 'app',
      approvals,
      tools: [{ name: 'look', description: 'looks', parameters: { type: 'object' } }],
    };
    const made = await created<{ clientId: string; clientSecret: string }>(
      t,
      '/worlds/alpha/clients',
      registered,
      signing,
    );
    // Otherwise, it would leave after 30 s.
    await t.engine.clients.connected(made.clientId);
    put(who, holder, { ...signing, [CLIENT_HEADER]: made.clientSecret });
  };
  await client("registered client that shows approvals, with the owner's token with read, chat, sign", true);
  await client('registered client with tools that shows no approvals, with the same token', false);
  put('token of an agent of this world', 'owner', bearer(agents.alpha), { agent: 'claude' });
  const user = await add(null, { alpha: 'member' });
  const forMember = { name: 'Cody', program: 'codex', tools: TOOLS, usedBy: user };
  const members = await created<{ token: string }>(t, '/worlds/alpha/external/agents', forMember);
  put('token of an agent of this world, for one of its members', user, bearer(members.token), { agent: 'cody' });
  const gateway = { name: 'Editor', program: 'mcp', tools: TOOLS };
  const editors = await created<{ token: string }>(t, '/worlds/alpha/external/agents', gateway);
  put('token of an MCP client of this world', 'owner', bearer(editors.token), { agent: 'editor' });
  put('token of an agent of another world', 'owner', bearer(agents.beta));
  return actors;
}

async function ownToken(
  t: AppFixture,
  id: string,
  session: Headers,
  scopes: NewToken['scopes'],
): Promise<CreatedToken> {
  return (await ask<CreatedToken>(t, 'POST', `/people/${id}/tokens`, session, { name: 'test', scopes })).body;
}

/** A browser session whose sign-in was a week ago. Written to the store: the clock of a database can't be moved. */
async function oldSession(t: AppFixture, personId: string): Promise<Headers> {
  const made = makeSecret();
  const header = randomSecret();
  await t.engine.runtime.store.transact('', async (tx) => {
    await insertCredential(tx, made, {
      personId,
      kind: 'session',
      name: 'old browser',
      data: { headerHash: hashSecret(header).toString('hex') },
      createdAt: tx.now() - WEEK_MS,
      expiresAt: tx.now() + WEEK_MS,
    });
  });
  const port = new URL(t.url).port;
  return { cookie: `countersign_${port}=${made.id}.${made.secret}`, [SESSION_HEADER]: header };
}

/** Creates something, by default as the server's token. */
async function created<T>(t: AppFixture, path: string, body?: unknown, headers?: Headers): Promise<T> {
  const answer = await t.api<T>('POST', path, body, headers);
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
  return answer.body;
}
