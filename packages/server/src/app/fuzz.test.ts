import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addAgent,
  claimExternal,
  createChat,
  createWorld,
  deleteWorld,
  listApprovals,
  listGrants,
  proposeExternal,
  publishMessage,
  decideCall,
} from '@countersign/core';
import { SERVER_LOG, type Store, type StoreTransaction } from '@countersign/core/ports';
import { openSqlite } from '@countersign/storage';
import { runDrafts, runTool, writeFile as writeTool } from '@countersign/tools';
import { sharedSandbox } from '../../../../tests/support/shared-sandbox.js';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { closeApps, TOKEN } from '../testing/app-fixture.js';
import { supervisorAt } from '../testing/run-fixture.js';
import { createDice, createFuzzer, type FuzzRequest } from '../testing/fuzz-requests.js';
import { openHarbour, type Harbour } from '../testing/harbour.js';
import { checkResponse } from '../testing/check-response.js';
import { responseToNobody } from '../testing/no-socket.js';
import type { ApiDescription } from './describe-api.js';
import { isFullSize, runsFactor } from '../../../../tests/support/scaled.js';

afterEach(closeApps);

const REQUESTS = 20_000;
/** The run continues until it has reached every operation, for at most another 20,000 requests. */
const FIRST = isFullSize ? REQUESTS * runsFactor : 100;
/** Requests answer approvals and revoke grants, so create a new world regularly. */
const FRESH_EVERY = 250;
const TESTER = { who: { kind: 'person', id: 'test', name: 'test' }, via: 'test' } as const;
/** A failure prints its seed; set FUZZ_SEED to reproduce it or to try other requests. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 4);

const WRITES =
  /^(?:insert|update|delete|set|append|step|fence|claim|change|clear|settle|touch|revoke|put|emit|record|add)/;

/** A store that counts writes. A compare-and-set that returns false wrote nothing. */
async function counting(): Promise<{ store: Store; written: () => number }> {
  const store = await openSqlite(':memory:', { synchronous: 'NORMAL' });
  let written = 0;
  const watched = (tx: StoreTransaction, count: () => void): StoreTransaction =>
    new Proxy(tx, {
      get(target, name: keyof StoreTransaction) {
        const verb = target[name] as (...args: unknown[]) => unknown;
        if (!WRITES.test(name)) return verb;
        return (...args: unknown[]) => {
          const result = verb(...args);
          void Promise.resolve(result).then(
            (value) => value === false || count(),
            () => undefined,
          );
          return result;
        };
      },
    });
  const transact: Store['transact'] = async (worldId, work, onCommit) => {
    let writes = 0;
    const result = await store.transact(worldId, (tx) => work(watched(tx, () => (writes += 1))), onCommit);
    // One record alone is that of a refused request (LOG1.8).
    if (worldId !== SERVER_LOG || writes > 1) written += writes;
    return result;
  };
  const step: Store['step'] = async (worldId, needs, decide, onCommit) => {
    let writes = 0;
    const watch: typeof decide = (reads) => {
      const decided = decide(reads);
      const { changes, emissions, records } = decided.writes;
      writes = changes.length + emissions.length + records.length;
      return decided;
    };
    const result = await store.step(worldId, needs, watch, onCommit);
    written += writes;
    return result;
  };
  return { store: { ...store, transact, step }, written: () => written };
}

type Ids = Record<
  | 'world'
  | 'agent'
  | 'chat'
  | 'message'
  | 'approval'
  | 'attachment'
  | 'turn'
  | 'grant'
  | 'call'
  | 'name'
  | 'provider'
  | 'person'
  | 'token'
  | 'group'
  | 'session'
  | 'delegation'
  | 'external'
  | 'schedule'
  | 'run',
  string[]
>;

/** Replaces all worlds with one that has an example of everything, so that requests find something. */
async function resetWorld(t: Harbour, ids: Ids, { count, drafts }: { count: number; drafts: Drafts }): Promise<void> {
  const { runtime } = t.engine;
  for (const { id } of await runtime.store.read((reader) => reader.worlds())) await deleteWorld(runtime, id, TESTER);
  const { id: world } = await createWorld(runtime, { name: `Harbour ${count}` }, TESTER);
  const ada = { name: 'Ada', provider: 'scripted', model: 'any', tools: ['*'] };
  const agent = await addAgent(runtime, world, ada, TESTER);
  const chat = await createChat(runtime, world);
  const removals = ['a', 'b', 'c'].map((path) => ({ name: 'remove', arguments: { path } }));
  // The effect of this one is known before it runs.
  const calls = [...removals, { name: 'write_file', arguments: { path: `notes-${count}.txt`, content: 'x' } }];
  const content = JSON.stringify(calls);
  const sent = await publishMessage(runtime, { worldId: world, chatId: chat.id, speaker: 'human', content });
  await t.engine.quiet();
  const [first, ...others] = await listApprovals(runtime, world, { status: 'pending' });
  if (first === undefined) throw new Error('no approval is pending');
  // Only for this path: a grant for every call would release the other two.
  const pattern = 'path=a';
  const decision = { tool_call_id: first.approvalId, decision: 'approve', scope: 'session', pattern } as const;
  await decideCall(runtime, world, undefined, decision, TESTER);
  await t.engine.quiet();
  const attachment = 'a'.repeat(64);
  await runtime.store.transact(world, (tx) =>
    tx.insertAttachment({ chatId: chat.id, id: attachment, kind: 'file', mimeType: 'x/y', data: 'AA==' }),
  );
  const schedule = `schedule_${count}`;
  const times = { cron: '0 8 * * *', timeZone: 'UTC' };
  const paused = { personId: 'bob', content: 'x', times, state: 'paused', dueAt: null, lookAt: null } as const;
  await runtime.store.transact(world, (tx) =>
    tx.insertSchedule({ id: schedule, worldId: world, chatId: chat.id, rev: 1, createdAt: 0, ...paused }),
  );
  const grants = await listGrants(runtime, world);
  const server = { name: 'notes', transport: 'stdio', command: 'notes' };
  await request(t, {
    operation: '',
    method: 'POST',
    path: `/worlds/${world}/mcp-servers`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(server),
  });
  // No server listens there. The request gets 409 if the provider still exists.
  const spare = { kind: 'vllm', name: 'Spare', baseUrl: 'http://127.0.0.1:9/v1' };
  await request(t, {
    operation: '',
    method: 'POST',
    path: '/providers',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(spare),
  });
  const post = async (path: string, body: object, method = 'POST'): Promise<{ id: string }> => {
    const headers = { 'content-type': 'application/json' };
    return (await request(t, { operation: '', method, path, headers, body: JSON.stringify(body) })).body as {
      id: string;
    };
  };
  const person = await post('/people', { name: `Bob ${count}` });
  const token = await post(`/people/${person.id}/tokens`, { name: 'ci', scopes: ['read'] });
  await post('/groups/crew', { people: [person.id] }, 'PUT');
  const outside = await addExternal(t, world);
  ids.run =
    'refused' in drafts
      ? []
      : await addRuns(drafts, world, (path, asked) => post(`/worlds/${world}/runs${path}`, asked));
  ids.external = [outside.agent];
  ids.person = [person.id];
  ids.token = [token.id];
  ids.group = ['crew'];
  ids.world = [world];
  ids.agent = [agent.id];
  ids.chat = [chat.id, outside.chat];
  ids.message = [sent.messageId];
  ids.approval = [first, ...others].map(({ approvalId }) => approvalId);
  ids.attachment = [attachment];
  ids.schedule = [schedule];
  ids.turn = [first.turnId];
  ids.grant = grants.map(({ grantId }) => grantId);
  ids.call = [...[first, ...others].map(({ toolCallId }) => toolCallId), ...outside.calls];
}

type Drafts = ReturnType<typeof runDrafts>;

async function removeRuns({ kept }: Pick<Exclude<Drafts, { refused: string }>, 'kept'>): Promise<void> {
  for (const id of await kept.list()) await rm((await kept.read(id))?.root ?? '', { recursive: true, force: true });
}

/** Runs that have ended, in place of those of earlier worlds. The first one waits for a decision. */
async function addRuns(
  { kept }: Exclude<Drafts, { refused: string }>,
  world: string,
  ask: (path: string, asked: object) => Promise<{ id: string }>,
): Promise<string[]> {
  await removeRuns({ kept });
  const ids: string[] = [];
  for (const name of ['first', 'second', 'third']) {
    const { id } = await ask('', { program: [name], supervisor: supervisorAt(process.pid) });
    const root = (await kept.read(id))?.root ?? '';
    await writeFile(join(root, 'upper', `${world}-${name}.txt`), 'x');
    await writeFile(join(root, 'ended.json'), JSON.stringify({ exitCode: 0, why: 'exited' }));
    if (ids.length === 0) await ask(`/${id}/end`, {});
    ids.push(id);
  }
  return ids;
}

/** The server's own token, as requests of this test send it. */
const CALLER = { by: TESTER, credential: 'server-token', claim: '' };

/** An external agent with a call that waits and one that its program runs. */
async function addExternal(t: Harbour, world: string): Promise<{ agent: string; chat: string; calls: string[] }> {
  const { runtime } = t.engine;
  const definition = { name: 'Claude', provider: 'external', model: 'claude', tools: ['claude__*'] };
  const { id: agent } = await addAgent(runtime, world, definition, TESTER);
  const propose = async (key: string): Promise<{ id: string; chatId: string }> => {
    const names = { agentId: agent, session: 's', key, program: 'claude', title: 'Claude' };
    const call = { toolName: 'claude__Bash', arguments: { command: key } };
    const runs = { where: 'program', reports: true } as const;
    const { signal } = new AbortController();
    return await proposeExternal(runtime, world, { ...names, ...call, runs, signal }, CALLER);
  };
  const { id: started, chatId: chat } = await propose('ls');
  const [approval] = (await listApprovals(runtime, world, { status: 'pending' })).filter(
    ({ agentId }) => agentId === agent,
  );
  const decision = { tool_call_id: approval?.approvalId ?? '', decision: 'approve' } as const;
  await decideCall(runtime, world, undefined, decision, TESTER);
  await claimExternal(runtime, { worldId: world, id: started, agentId: agent, caller: CALLER });
  return { agent, chat, calls: [started, (await propose('rm a')).id] };
}

async function request(t: Harbour, sent: FuzzRequest): Promise<{ status: number; type: string; body: unknown }> {
  const { host } = new URL(t.url);
  const init = {
    method: sent.method,
    headers: { authorization: `Bearer ${TOKEN}`, host, ...sent.headers },
    ...(sent.body === undefined ? {} : { body: sent.body }),
  };
  const outgoing = responseToNobody();
  const answering = Promise.resolve(t.app.request(`${t.url}/api${sent.path}`, init, { outgoing }));
  const response = await (sent.path.includes('/external/calls') ? letTimePass(t, answering) : answering);
  if (outgoing.headersSent) {
    outgoing.emit('close');
    return { status: outgoing.statusCode, type: String(outgoing.getHeader('content-type')), body: undefined };
  }
  const { status } = response;
  const type = response.headers.get('content-type') ?? '';
  const text = await response.text();
  return {
    status,
    type,
    body: /[/+]json(?:;|$)/.test(type) && text !== '' ? (JSON.parse(text) as unknown) : undefined,
  };
}

/** A program may wait for a decision that nobody makes here, until its time is over. */
async function letTimePass<T>(t: Harbour, answering: Promise<T>): Promise<T> {
  for (;;) {
    const tick = new Promise<undefined>((resolve) => setImmediate(resolve, undefined));
    const answer = await Promise.race([answering, tick]);
    if (answer !== undefined) return answer;
    t.clock.advance(1_000);
  }
}

/** Statuses that the run must reach, so that it exercises more than one kind of rejection. */
const STATUSES = [200, 201, 202, 204, 400, 404, 405, 409, 412, 415, 422, 428];

/** They need a valid ticket, which the fuzzer can't guess, a browser session, a person, a passkey, a running MCP server, a supervisor, the hash of a run's effect, calls that can be rehearsed, agents on this computer, or a receiver of webhooks. */
const UNREACHABLE = [
  'post_worlds_world_runs_run_select',
  'post_session',
  'post_sign_in_oidc',
  'post_session_challenge',
  'post_me_challenges',
  'post_me_devices_link',
  'get_me_devices_link_link',
  'post_me_devices_link_link_confirm',
  'delete_me_devices_link_link',
  'post_me_passkeys_options',
  'post_me_passkeys',
  'patch_people_person_passkeys_passkey',
  'delete_people_person_passkeys_passkey',
  'post_me_delegations',
  'delete_me_delegations_delegation',
  'delete_people_person_delegations_delegation',
  'delete_me_sessions_session',
  'post_denials',
  'post_me_push',
  'patch_me_push_id',
  'delete_me_push_id',
  'post_me_push_id_test',
  'delete_people_person_sessions_session',
  'post_worlds_world_batches',
  'post_worlds_world_batches_batch_decision',
  'get_local_agents',
  'put_local_agents_agent_gate',
  'post_worlds_world_schedules',
  'post_worlds_world_chats_chat_attachments',
  'patch_worlds_world_schedules_schedule',
  'post_worlds_world_mcp_servers_name_context',
  'post_worlds_world_mcp_servers_name_sign_in',
  'delete_worlds_world_mcp_servers_name_sign_in',
  'post_mcp_sign_ins',
  'post_worlds_world_runs_run_restart',
  'post_webhooks',
  'patch_webhooks_id',
  'delete_webhooks_id',
  'get_webhooks_id_deliveries',
  'post_webhooks_id_replay',
];

/** They need a system that can mount overlays. */
const OF_RUNS = [
  'post_worlds_world_runs',
  'post_worlds_world_runs_run_end',
  'get_worlds_world_runs_run',
  'post_worlds_world_runs_run_apply',
  'post_worlds_world_runs_run_discard',
  'post_worlds_world_runs_run_request_changes',
];

/** Rejections that write an audit record: an invalid decision (CALL6), and revealing a call without permission (SAFE6). */
const RECORDED = new Set(['post_worlds_world_tool_results', 'post_worlds_world_approvals_approval_reveal']);

it(
  '[HTTP1] generated requests never cause a 5xx, and rejected ones write nothing',
  async () => {
    const { store, written } = await counting();
    const top = await mkdtemp(join(tmpdir(), 'countersign-fuzz-'));
    const folder = join(top, 'work');
    await mkdir(folder);
    onTestFinished(async () => await rm(top, { recursive: true, force: true }));
    const drafts = runDrafts(await sharedSandbox(), [join(top, 'home')]);
    onTestFinished(async () => ('refused' in drafts ? undefined : await removeRuns(drafts)));
    const known = 'refused' in drafts ? [] : [runTool(drafts.kept, drafts.undos)];
    const context = { runs: { drafts, homes: join(top, 'homes') } };
    const t = await openHarbour({ store, folder, tools: [writeTool(), ...known], context });
    const ids: Ids = {
      world: [],
      agent: [],
      chat: [],
      message: [],
      approval: [],
      attachment: [],
      turn: [],
      grant: [],
      call: [],
      name: ['notes'],
      provider: ['spare'],
      person: [],
      token: [],
      group: [],
      session: ['0123456789abcdef'],
      delegation: ['0123456789abcdef'],
      external: [],
      schedule: [],
      run: [],
    };
    const api = (await t.api<ApiDescription>('GET', '/openapi.json')).body;
    const dice = createDice(SEED);
    const next = createFuzzer(api, dice, ids);
    const operations = Object.values(api.paths).flatMap((methods) => Object.values(methods));
    const statuses = new Set<number>();
    const answered = new Set<string>();
    const unreachable = 'refused' in drafts ? [...UNREACHABLE, ...OF_RUNS] : UNREACHABLE;
    const unreached = (): string[] =>
      operations.map(({ operationId }) => operationId).filter((id) => !answered.has(id) && !unreachable.includes(id));
    const hasReachedAll = (): boolean => unreached().length === 0 && STATUSES.every((status) => statuses.has(status));
    const wanted = (count: number): string[] => (count >= FIRST ? unreached() : []);
    const isDone = (count: number): boolean => count >= FIRST && (count >= FIRST + REQUESTS || hasReachedAll());
    let count = 0;
    for (; !isDone(count); count += 1) {
      if (count % FRESH_EVERY === 0 || !(await isThere(t, ids))) await resetWorld(t, ids, { count, drafts });
      const sent = next(wanted(count));
      const before = written();
      const answer = await request(t, sent);
      const describeFailure = (): string =>
        `seed ${SEED}, request ${count}: ${JSON.stringify(sent)} → ${JSON.stringify(answer)} ${t.errors.join()}`;
      if (answer.status >= 500) throw new Error(describeFailure());
      if (sent.method !== 'OPTIONS') checkResponse(sent.method, sent.path, answer);
      if (answer.status >= 400 && written() !== before && !RECORDED.has(sent.operation))
        throw new Error(`wrote: ${describeFailure()}`);
      if (answer.status < 400) answered.add(sent.operation);
      statuses.add(answer.status);
      // Wait for the turn that a message starts, so its writes aren't attributed to a later rejected request. An agent
      // whose provider can't be reached tries again later.
      if (sent.method !== 'GET' && answer.status < 400)
        await letTimePass(
          t,
          t.engine.quiet().then(() => true),
        );
    }
    if (isFullSize) process.stdout.write(`${count} fuzzed requests\n`);
    expect(t.errors).toEqual([]);
    expect([...statuses]).toEqual(expect.arrayContaining(STATUSES));
    expect(unreached()).toEqual([]);
  },
  isFullSize ? 3_600_000 : 180_000,
);

async function isThere(
  t: Harbour,
  { world: [world = ''], agent: [agent = ''], chat: [chat = ''] }: Ids,
): Promise<boolean> {
  return await t.engine.runtime.store.read(
    async (reader) =>
      (await reader.worldRev(world)) !== undefined &&
      (await reader.chat(chat)) !== undefined &&
      (await reader.agents(world)).some(({ id }) => id === agent),
  );
}
