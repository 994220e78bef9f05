import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addAgent,
  createChat,
  createWorld,
  listApprovals,
  listMessages,
  decideCall,
  type Engine,
} from '@countersign/core';
import { defineTool, type Store, type Tool } from '@countersign/core/ports';
import { scripted } from '@countersign/core/testing';
import type { Challenge } from '@countersign/protocol';
import { serve, type Serving } from '@countersign/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createSoftPasskey, insertPasskey } from '../../packages/server/src/testing/soft-passkey.js';
import { createMigratedDatabase } from '../support/postgres-database.js';
import { countingTool, nextEvent, openEngine, say, signer } from './engines-fixture.js';

async function prepare({ runtime }: Engine): Promise<{ worldId: string; chatId: string }> {
  const { id: worldId } = await createWorld(runtime, { name: 'Post office' }, signer);
  await addAgent(runtime, worldId, { name: 'Clerk', provider: 'scripted', model: 'm', tools: ['*'] }, signer);
  const { id: chatId } = await createChat(runtime, worldId);
  return { worldId, chatId };
}

/** Calls the only tool, then reports its result. */
const caller = () =>
  scripted(({ messages, tools }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return `It came to: ${last.content}`;
    return { say: 'One call.', calls: [{ name: tools[0]?.name ?? 'none', arguments: {} }] };
  });

async function lastContent({ runtime }: Engine, chatId: string): Promise<string> {
  return (await listMessages(runtime, chatId)).at(-1)?.content ?? '';
}

describe('[STORE4.1] clients, questions and sessions across processes', () => {
  it('[CALL16] a client can register with one process, listen on another, be called from any and answer to a third', async () => {
    const url = await createMigratedDatabase();
    const engines = await Promise.all([1, 2, 3].map(() => openEngine(url, [], caller())));
    const [a, b, c] = engines as [Engine, Engine, Engine];
    const { worldId, chatId } = await prepare(a);
    const tool = { name: 'ring', description: 'Rings.', parameters: { type: 'object' } };
    const { clientId, clientSecret } = await a.clients.register(worldId, {
      label: 'Bell',
      approvals: false,
      tools: [tool],
    });
    expect(await b.clients.find(worldId, clientSecret)).toMatchObject({ id: clientId });
    await b.clients.connected(clientId);
    await say(c, worldId, chatId, 'Ring, please');
    const pending = async () => (await listApprovals(c.runtime, worldId, { status: 'pending' }))[0];
    await expect.poll(pending).toBeDefined();
    const decision = { tool_call_id: (await pending())?.approvalId ?? '', decision: 'approve' } as const;
    await decideCall(a.runtime, worldId, undefined, decision, signer);
    await expect.poll(() => b.clients.pending(clientId)).toHaveLength(1);
    const [call] = await b.clients.pending(clientId);
    await c.clients.find(worldId, clientSecret);
    const answer = { tool_call_id: call?.id ?? '', content: 'ding' };
    expect(await c.clients.answer(clientId, answer)).toMatchObject({ kind: 'recorded' });
    await expect.poll(() => lastContent(a, chatId)).toContain('ding');
  });

  it('[CALL16] a client whose process is gone counts as disconnected until it connects elsewhere', async () => {
    const url = await createMigratedDatabase();
    const [a, b] = (await Promise.all([1, 2].map(() => openEngine(url, [])))) as [Engine, Engine];
    const { worldId } = await prepare(a);
    const { clientId, clientSecret } = await a.clients.register(worldId, { label: 'Bell', approvals: true, tools: [] });
    await a.clients.connected(clientId);
    const record = () => b.runtime.store.read((reader) => reader.client(clientId));
    expect(await record()).toMatchObject({ leftAt: null, connectedTo: a.runtime.process.owner });
    await a.close();
    await expect.poll(record).toMatchObject({ leftAt: expect.any(Number) as number, connectedTo: '' });
    await b.clients.find(worldId, clientSecret);
    await b.clients.connected(clientId);
    expect(await record()).toMatchObject({ leftAt: null, connectedTo: b.runtime.process.owner });
  });

  it('a question from a tool in one process is answered at another', async () => {
    const url = await createMigratedDatabase();
    const ask: Tool = defineTool({
      name: 'ask_around',
      description: 'Asks.',
      parameters: z.object({}),
      approval: { required: false },
      readOnly: true,
      execute: async (_, { ask: put }) => await (put?.({ text: 'Which colour?', choices: [] }) ?? 'nobody to ask'),
    });
    const [a, b] = (await Promise.all([1, 2].map(() => openEngine(url, [ask], caller())))) as [Engine, Engine];
    const { worldId, chatId } = await prepare(a);
    await say(a, worldId, chatId, 'Go');
    await expect.poll(async () => (await listApprovals(b.runtime, worldId, {})).length).toBe(1);
    const [question] = await listApprovals(b.runtime, worldId, {});
    const runner = a.runtime.scheduler.running().length > 0 ? a : b;
    const other = runner === a ? b : a;
    const idle = nextEvent(other, worldId, (event) => event.event === 'world' && event.data.type === 'idle');
    const answer = { tool_call_id: question?.approvalId ?? '', content: 'Green' };
    await decideCall(other.runtime, worldId, undefined, answer, signer);
    await idle;
    expect(await lastContent(other, chatId)).toContain('Green');
  });
});

describe('[STORE6.4] the waiting calls of all worlds across processes', () => {
  const asking = () => scripted(() => ({ calls: [{ name: 'stamp', arguments: { key: 'one' } }] }));
  /** Watches at one process while another one gets a call that needs approval, and decides it. */
  async function changesAt(quiet: boolean): Promise<string[]> {
    const url = await createMigratedDatabase();
    const tools = [countingTool(new Map())];
    const mute = (store: Store): Store =>
      store.shared === undefined ? store : { ...store, shared: { ...store.shared, hint: () => undefined } };
    const a = await openEngine(url, tools, asking(), quiet ? mute : undefined);
    const b = await openEngine(url, tools, asking());
    const { worldId, chatId } = await prepare(a);
    const heard: string[] = [];
    onTestFinished(await b.runtime.bus.watchQueues((world) => heard.push(world)));
    await say(a, worldId, chatId, 'Stamp, please');
    const pending = async () => (await listApprovals(b.runtime, worldId, { status: 'pending' }))[0];
    await expect.poll(pending).toBeDefined();
    await expect.poll(() => heard.length, { timeout: 3_000 }).toBeGreaterThan(0);
    const before = heard.length;
    const decision = { tool_call_id: (await pending())?.approvalId ?? '', decision: 'deny' } as const;
    await decideCall(a.runtime, worldId, undefined, decision, signer);
    await expect.poll(() => heard.length, { timeout: 3_000 }).toBeGreaterThan(before);
    return [...new Set(heard)];
  }

  it('a change in one process is heard in another', async () => {
    expect(await changesAt(false)).toEqual(['post-office']);
  });

  it('a change is found if its notification is lost', async () => {
    expect(await changesAt(true)).toEqual(['post-office']);
  });
});

const SHARED_TOKEN = 'a-token-for-both-of-them-0123456789abcdef';

async function openServer(url: string, folder: string, env: Record<string, string> = {}): Promise<Serving> {
  const home = join(folder, randomUUID());
  mkdirSync(home);
  const quiet = (): void => undefined;
  const serving = await serve({
    home,
    env: {
      DATABASE_URL: url,
      COUNTERSIGN_WORK: join(folder, 'work'),
      COUNTERSIGN_TOKEN: SHARED_TOKEN,
      ...env,
    },
    log: { info: quiet, warn: quiet, error: quiet },
    port: 0,
    providers: [],
    tools: [],
    sandbox: { kind: 'none', reason: 'no command runs here' },
    ollamaUrl: 'http://127.0.0.1:9',
    version: 'test',
  });
  onTestFinished(() => serving.close());
  return serving;
}

it('[WHO1] [STORE4.1] a start link of one server opens a session at another, once, and every server accepts it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const url = await createMigratedDatabase();
  const [a, b] = await Promise.all([openServer(url, folder), openServer(url, folder)]);
  const { ticket } = await newTicket(a);
  const redeem = (at: Serving): Promise<Response> =>
    fetch(`${at.url}/api/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ticket }),
    });
  const opened = await Promise.all([redeem(b), redeem(a), redeem(b)]);
  expect(opened.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 401, 401]);
  const good = opened.find(({ status }) => status === 200);
  if (good === undefined) throw new Error('no server opened a session');
  const { session } = (await good.json()) as { session: string };
  const cookie = good.headers.get('set-cookie')?.split(';')[0] ?? '';
  for (const { url: at } of [a, b]) {
    const ask = (half: string): Promise<Response> =>
      fetch(`${at}/api/worlds`, { headers: { cookie, 'X-Countersign-Session': half } });
    expect((await ask(session)).status).toBe(200);
    expect((await ask(`${session}x`)).status).toBe(401);
  }
  const { rows } = await queryCredentials(url);
  expect(JSON.stringify(rows)).not.toContain(session);
});

const BEARER = { Authorization: `Bearer ${SHARED_TOKEN}` };

async function newTicket({ url }: Serving): Promise<{ ticket: string }> {
  const made = await fetch(`${url}/api/tickets`, { method: 'POST', headers: BEARER });
  const { ticket } = (await made.json()) as { ticket: string };
  return { ticket };
}

it('[WHO4.5] [STORE4.1] a session that one server ended is refused by the others, and their streams end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const url = await createMigratedDatabase();
  const [a, b] = await Promise.all([openServer(url, folder), openServer(url, folder)]);
  const send = (at: Serving, method: string, path: string, headers: Record<string, string>, body?: object) =>
    fetch(`${at.url}/api${path}`, {
      method,
      headers: { ...headers, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  await send(a, 'POST', '/worlds', BEARER, { name: 'Lab' });
  const signIn = async (key: object): Promise<Record<string, string>> => {
    const opened = await send(a, 'POST', '/session', {}, key);
    const { session } = (await opened.json()) as { session: string };
    return { cookie: opened.headers.get('set-cookie')?.split(';')[0] ?? '', 'X-Countersign-Session': session };
  };
  const owner = await signIn(await newTicket(a));
  const added = await send(b, 'POST', '/people', owner, { name: 'Bob', role: 'member' });
  expect(await added.text()).toContain('bob');
  const invited = (await (await send(b, 'POST', '/people/bob/invitations', owner)).json()) as { open: string };
  const bob = await signIn({ invitation: invited.open.split('=')[1] });

  // One of several sessions, ended by its owner.
  const second = await signIn(await newTicket(b));
  const stream = await send(b, 'GET', '/worlds/lab/events', second);
  const { items } = (await (await send(a, 'GET', '/me/sessions', second)).json()) as {
    items: { id: string; current: boolean }[];
  };
  const id = items.find(({ current }) => current)?.id;
  expect((await send(a, 'DELETE', `/me/sessions/${id}`, owner)).status).toBe(204);
  expect((await send(b, 'GET', '/me', second)).status).toBe(401);
  await stream.text();

  // A disabled person.
  const followed = await send(b, 'GET', '/worlds/lab/events', bob);
  expect(followed.status).toBe(200);
  expect((await send(a, 'PATCH', '/people/bob', owner, { status: 'disabled' })).status).toBe(200);
  expect((await send(b, 'GET', '/me', bob)).status).toBe(401);
  await followed.text();
});

it('[SIGN2.2] [SIGN2.6] [STORE4.1] a challenge of one server confirms a change at another, once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const url = await createMigratedDatabase();
  const origin = 'http://localhost:4300';
  const at = { COUNTERSIGN_PUBLIC_URL: origin };
  const [a, b] = await Promise.all([openServer(url, folder, at), openServer(url, folder, at)]);
  const send = async (server: Serving, method: string, path: string, body: object): Promise<Response> =>
    await fetch(`${server.url}/api${path}`, {
      method,
      headers: { ...owner, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  let owner: Record<string, string> = {};
  const opened = await send(a, 'POST', '/session', await newTicket(a));
  const { session } = (await opened.json()) as { session: string };
  owner = { cookie: opened.headers.get('set-cookie')?.split(';')[0] ?? '', 'X-Countersign-Session': session };
  const soft = createSoftPasskey('ed25519', { origin });
  await insertPasskey(a.home.engine.runtime.store, 'owner', soft, { origin });
  expect((await send(a, 'POST', '/worlds', { name: 'Bank', policy: ['ask * with passkey'] })).status).toBe(201);
  const body = { mode: 'auto' };
  const action = { kind: 'change-world', method: 'PATCH', path: '/worlds/bank', body };
  const made = (await (await send(a, 'POST', '/me/challenges', { action })).json()) as Challenge;
  const confirmation = { challenge: made.challenge, ...soft.sign(made.options.challenge) };
  expect((await send(b, 'PATCH', '/worlds/bank', body)).status).toBe(409);
  expect((await send(b, 'DELETE', '/worlds/bank', { confirmation })).status).toBe(403);
  expect((await send(b, 'PATCH', '/worlds/bank', { ...body, confirmation })).status).toBe(200);
  expect((await send(a, 'PATCH', '/worlds/bank', { ...body, confirmation })).status).toBe(403);

  // Sent to both at once, it works once.
  const again = (await (await send(b, 'POST', '/me/challenges', { action })).json()) as Challenge;
  const raced = { ...body, confirmation: { challenge: again.challenge, ...soft.sign(again.options.challenge) } };
  const answers = await Promise.all([a, b, a, b].map((server) => send(server, 'PATCH', '/worlds/bank', raced)));
  expect(answers.map(({ status }) => status).sort((one, other) => one - other)).toEqual([200, 403, 403, 403]);
});

async function queryCredentials(url: string): Promise<{ rows: unknown[] }> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query('select * from countersign.credentials');
  } finally {
    await client.end();
  }
}
