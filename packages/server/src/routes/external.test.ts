import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreatedExternalAgent, ExternalCall, Grant } from '@countersign/protocol';
import type { Tool } from '@countersign/core/ports';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { createFakeClock } from '@countersign/core/testing';
import { createExternalLimiter } from '../people/external-limiter.js';
import { closeApps, openApp, until, type AppFixture } from '../testing/app-fixture.js';
import { openHarbour, removing, type Harbour } from '../testing/harbour.js';

afterEach(closeApps);

async function addAgent(t: AppFixture, name: string): Promise<CreatedExternalAgent & { as: Record<string, string> }> {
  const { body } = await t.api<CreatedExternalAgent>('POST', '/worlds/harbour/external/agents', {
    name,
    program: 'claude',
  });
  return { ...body, as: { Authorization: `Bearer ${body.token}` } };
}

const bash = (command: string, more: Record<string, unknown> = {}) => ({
  session: 's1',
  key: command,
  program: 'claude',
  tool: 'Bash',
  arguments: { command },
  cwd: '/home/ada/project',
  reports: true,
  ...more,
});
const CALLS = '/worlds/harbour/external/calls';

async function open(
  options: Parameters<typeof openHarbour>[0] = {},
): Promise<Harbour & { claude: Awaited<ReturnType<typeof addAgent>> }> {
  const t = await openHarbour(options);
  return { ...t, claude: await addAgent(t, 'Claude Code') };
}

it('[EXT1.21] a program says why it asks, within limits, and its token reads nothing of it', async () => {
  const t = await open();
  const { as } = t.claude;
  const said = { prompt: 'Clean up', said: 'I remove a.', subagent: 'cleaner' };
  const { status, body } = await t.api<ExternalCall>('POST', CALLS, bash('rm a', { context: said }), as);
  expect(status).toBe(201);
  expect(JSON.stringify(body)).not.toContain('Clean up');
  expect((await t.pending())[0]).toMatchObject({ claimedContext: said });
  const refused = [
    { prompt: 'x'.repeat(4_001) },
    { said: '' },
    { subagent: 'x'.repeat(201) },
    { plan: 'x' },
    'Clean up',
  ];
  for (const context of refused) expect((await t.api('POST', CALLS, bash('rm b', { context }), as)).status).toBe(422);
  expect(await t.pending()).toHaveLength(1);
});

it('[HTTP9] [HTTP9.1] [EXT1.2] a program proposes a call, waits for the decision and reports the result', async () => {
  const t = await open();
  const { as } = t.claude;
  const proposed = await t.api<ExternalCall>('POST', CALLS, bash('rm a'), as);
  expect(proposed.status).toBe(201);
  const { id, approval } = proposed.body;
  expect(proposed.body).toEqual({
    id,
    state: 'pending',
    approval: { id: approval?.id, link: expect.any(String) as string },
  });
  expect(approval?.link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/w\/harbour\/c\/chat_[^/]+\?approval=/);
  expect((await t.api('POST', CALLS, bash('rm a'), as)).body).toEqual(proposed.body);
  expect((await t.api('POST', CALLS, bash('rm a', { arguments: { command: 'ls' } }), as)).status).toBe(409);
  // The long poll ends with the decision; the fixture's clock never moves.
  const waiting = t.api<ExternalCall>('GET', `${CALLS}/${id}?wait=50`, undefined, as);
  const [card] = await t.pending();
  const edited = { tool_call_id: card?.approvalId, decision: 'approve', arguments: { command: 'rm b' } };
  expect((await t.api('POST', '/worlds/harbour/tool-results', edited)).status).toBe(409);
  const [shown] = await t.pending();
  const approved = { tool_call_id: shown?.approvalId, decision: 'approve' };
  expect((await t.api('POST', '/worlds/harbour/tool-results', approved)).status).toBe(200);
  expect((await waiting).body).toEqual({ id, state: 'allowed', arguments: { command: 'rm b' }, edited: true });
  const report = (body: unknown) => t.api('POST', `${CALLS}/${id}/result`, body, as);
  expect((await report({ content: 'done' })).status).toBe(204);
  expect((await report({ content: 'done' })).status).toBe(204);
  expect((await report({ content: 'other' })).status).toBe(409);
  expect((await t.api('GET', `${CALLS}/${id}`, undefined, as)).body).toEqual({ id, state: 'ended' });
});

it('[HTTP9] [HTTP9.1] a rule answers at once, and the end of a session ends its calls', async () => {
  const t = await open();
  const { as } = t.claude;
  const rules = ['allow claude__Bash(git status)', 'deny shell_cmd(rm *)'];
  const etag = (await t.api('GET', '/worlds/harbour/policy')).headers.get('etag') ?? '';
  const put = await t.api('PUT', '/worlds/harbour/policy', { rules }, { 'If-Match': etag });
  expect(put.status).toBe(200);
  const allowed = await t.api<ExternalCall>('POST', CALLS, bash('git status', { wait: 50, cwd: process.cwd() }), as);
  expect(allowed.body).toMatchObject({ state: 'allowed', arguments: { command: 'git status' }, edited: false });
  const denied = await t.api<ExternalCall>('POST', CALLS, bash('rm a', { wait: 50 }), as);
  expect(denied.body).toMatchObject({
    state: 'denied',
    reason: expect.stringContaining('deny shell_cmd(rm *)') as string,
  });
  expect((await t.api('POST', '/worlds/harbour/external/sessions/s1/end', {}, as)).status).toBe(204);
  const { id } = allowed.body;
  expect((await t.api('GET', `${CALLS}/${id}`, undefined, as)).body).toEqual({ id, state: 'ended' });
});

it('[HTTP9.1] [EXT1.15] a call that has started is fetched once, with its folder', async () => {
  const t = await open();
  const { as } = t.claude;
  const { id } = (await t.api<ExternalCall>('POST', CALLS, bash('rm a'), as)).body;
  const fetchCall = (from = as) => t.api<ExternalCall>('POST', `${CALLS}/${id}/fetch`, {}, from);
  const approve = { tool_call_id: (await t.pending())[0]?.approvalId, decision: 'approve' };
  expect((await fetchCall()).status).toBe(409);
  expect((await t.api('POST', '/worlds/harbour/tool-results', approve)).status).toBe(200);
  expect((await fetchCall()).status).toBe(409);
  expect((await t.api('GET', `${CALLS}/${id}`, undefined, as)).body).toMatchObject({ state: 'allowed' });
  expect((await fetchCall((await addAgent(t, 'Other')).as)).status).toBe(404);
  const fetched = await Promise.all([fetchCall(), fetchCall()]);
  expect(fetched.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409]);
  const call = { id, state: 'allowed', arguments: { command: 'rm a' }, edited: false, cwd: '/home/ada/project' };
  expect(fetched.find(({ status }) => status === 200)?.body).toEqual(call);
  expect((await t.api('POST', `${CALLS}/${id}/result`, { content: 'done' }, as)).status).toBe(204);
  expect((await fetchCall()).status).toBe(409);
});

it('[CALL5.9] [HTTP10] a command approved for the chat needs approval again in another folder, also behind a link', async () => {
  const t = await open();
  const { as } = t.claude;
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-cwd-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [one, two, link] = ['one', 'two', 'link'].map((name) => join(folder, name)) as [string, string, string];
  for (const each of [one, two]) await mkdir(each);
  await symlink(one, link);
  const state = async (key: string, cwd: string) =>
    (await t.api<ExternalCall>('POST', CALLS, bash('rm -rf build', { key, cwd }), as)).body.state;
  expect(await state('k1', link)).toBe('pending');
  const [card] = await t.pending();
  const approve = { tool_call_id: card?.approvalId, decision: 'approve', scope: 'session' };
  expect((await t.api('POST', '/worlds/harbour/tool-results', approve)).status).toBe(200);
  expect(await state('k2', one)).toBe('allowed');
  expect(await state('k3', link)).toBe('allowed');
  expect(await state('k4', two)).toBe('pending');
  await rm(link);
  await symlink(two, link);
  expect(await state('k5', link)).toBe('pending');
  expect(card).toMatchObject({ session: { pattern: 'rm -rf build', any: false, folder: one } });
  const { items } = (await t.api<{ items: Grant[] }>('GET', '/worlds/harbour/grants')).body;
  expect(items).toMatchObject([{ pattern: 'rm -rf build', folder: one }]);
});

it('[TURN11.1] [EXT1.18] a call that is too long to be read is refused, and nothing is stored', async () => {
  const t = await open();
  const { as } = t.claude;
  const before = await t.api<{ chats: unknown[] }>('GET', '/worlds/harbour/chats');
  const lines = Array.from({ length: 3_000 }, (_, at) => `echo line ${at}`).join('\n');
  for (const command of ['ls;'.repeat(300_000), lines]) {
    const refused = await t.api<{ detail: string }>('POST', CALLS, bash('ls', { arguments: { command } }), as);
    expect(refused).toMatchObject({ status: 422, body: { detail: expect.stringContaining('too long') as string } });
  }
  const files = Array.from({ length: 1_500 }, (_, at) => `*** Add File: ${at}\n+text`).join('\n');
  const patch = bash('patch', { tool: 'apply_patch', arguments: { input: files } });
  expect(await t.api('POST', CALLS, patch, as)).toMatchObject({ status: 422 });
  const deep = 'a/'.repeat(10_000);
  for (const [tool, args] of [
    ['Write', { file_path: deep, content: '' }],
    ['Glob', { pattern: deep }],
    ['apply_patch', { input: `*** Add File: ${deep}x\n+text` }],
  ] as const)
    expect(await t.api('POST', CALLS, bash(tool, { tool, arguments: args }), as)).toMatchObject({ status: 422 });
  const many = bash('many', { arguments: Object.fromEntries(Array.from({ length: 6_000 }, (_, at) => [`a${at}`, 1])) });
  expect(await t.api('POST', CALLS, many, as)).toMatchObject({ status: 422 });
  expect((await t.api('GET', '/worlds/harbour/chats')).body).toEqual(before.body);
});

it('[EXT1.17] a token and an agent propose 120 calls a minute, and refused calls count', async () => {
  const clock = createFakeClock();
  const limiter = createExternalLimiter(clock, { callsPerMinute: 3, megabytesPerHour: 1 });
  const t = await open({ context: { externalLimiter: limiter } });
  const { as } = t.claude;
  const propose = (command: string, as: Record<string, string>, more = {}) =>
    t.api<{ detail: string }>('POST', CALLS, bash(command, more), as);
  expect((await propose('a', as)).status).toBe(201);
  // Another call with a known key.
  expect((await propose('b', as, { key: 'a' })).status).toBe(409);
  expect((await propose('b', as, { arguments: { command: 'ls;'.repeat(50_000) } })).status).toBe(422);
  clock.advance(45_000);
  const refused = await propose('b', as);
  expect(refused).toMatchObject({
    status: 429,
    body: { detail: expect.stringMatching(/more than 3 calls within a minute.*Try again in 15 s/) as string },
  });
  expect(refused.headers.get('retry-after')).toBe('15');
  // The agent is limited with other credentials too. Another agent isn't.
  expect((await propose('b', {}, { agent: t.claude.agent })).status).toBe(429);
  expect((await propose('b', (await addAgent(t, 'Other')).as)).status).toBe(201);
  clock.advance(15_000);
  expect((await propose('b', as)).status).toBe(201);
});

it('[EXT1.17] a token and an agent send 50 MB an hour, with or without Content-Length', async () => {
  const clock = createFakeClock();
  const limiter = createExternalLimiter(clock, { callsPerMinute: 100, megabytesPerHour: 1 });
  const t = await open({ context: { externalLimiter: limiter } });
  const { as } = t.claude;
  const body = JSON.stringify(bash('a', { arguments: { command: 'a'.repeat(600_000) } }));
  const stream = () => new Blob([body]).stream();
  const propose = async (body: string | ReadableStream) => {
    const headers = { ...as, 'Content-Type': 'application/json' };
    return await fetch(`${t.url}/api${CALLS}`, { method: 'POST', headers, body, duplex: 'half' });
  };
  expect((await propose(stream())).status).toBe(422);
  const refused = await propose(body);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('3600');
  expect(await refused.text()).toContain('more than 1 MB within an hour');
  const mcp = { method: 'POST', headers: { ...as, 'Content-Type': 'application/json' }, body: '{}' };
  expect((await fetch(`${t.url}/mcp/harbour`, mcp)).status).toBe(429);
  clock.advance(60 * 60_000);
  expect((await propose(body)).status).toBe(422);
});

it('[EXT1.6] the token of an agent can propose its calls and nothing else', async () => {
  const t = await open();
  const { as, token } = t.claude;
  const other = await addAgent(t, 'Other');
  const { id } = (await t.api<ExternalCall>('POST', CALLS, bash('rm a'), as)).body;
  for (const [method, path, body] of [
    ['GET', `${CALLS}/${id}`, undefined],
    ['POST', `${CALLS}/${id}/result`, { content: 'done' }],
    ['POST', `${CALLS}/${id}/fetch`, {}],
    ['POST', CALLS, bash('rm a', { agent: t.claude.agent })],
    ['POST', '/worlds/harbour/external/sessions/s1/end', { agent: t.claude.agent }],
  ] as const)
    expect([path, (await t.api(method, path, body, other.as)).status]).toEqual([path, 404]);
  await t.api('POST', '/worlds', { name: 'Elsewhere' });
  expect((await t.api('POST', '/worlds/elsewhere/external/calls', bash('ls'), as)).status).toBe(404);
  // A session would not be limited to the agent.
  expect((await t.api('POST', '/session', { token }, { Authorization: '' })).status).toBe(401);
  expect((await t.api('GET', `${CALLS}/${id}`, undefined, as)).body).toMatchObject({ state: 'pending' });
});

it('[EXT1.32] a token gets further worlds only of its own program and person, and only there it proposes', async () => {
  const t = await open();
  for (const name of ['Docks', 'Other']) await t.api('POST', '/worlds', { name });
  const { as, tokenId } = t.claude;
  const more = async (body: object, world = 'docks') =>
    await t.api<CreatedExternalAgent>('POST', `/worlds/${world}/external/agents`, {
      ...{ name: 'Claude Code', program: 'claude', tokenId },
      ...body,
    });
  const propose = async (world: string, body = {}) =>
    (await t.api('POST', `/worlds/${world}/external/calls`, bash('rm a', body), as)).status;
  expect(await propose('docks')).toBe(404);
  const agents = async () => (await t.api<{ items: unknown[] }>('GET', '/worlds/docks/agents')).body.items.length;
  for (const body of [{ tokenId: 'none' }, { program: 'gemini' }, { usedBy: 'owner' }])
    expect((await more(body)).status).toBe(404);
  expect(await agents()).toBe(0);
  // A token for everything isn’t one of an agent.
  const all = await t.api<{ id: string }>('POST', `/people/${t.claude.person}/tokens`, {
    name: 'all',
    scopes: ['propose'],
  });
  expect((await more({ tokenId: all.body.id })).status).toBe(404);

  const added = await more({ name: 'Claude here' });
  expect(added).toMatchObject({ status: 201, body: { agent: 'claude-here', created: true, tokenId } });
  expect(added.body).not.toHaveProperty('token');
  expect((await more({ name: 'Claude here' })).body).toMatchObject({ created: false });
  expect(await Promise.all(['harbour', 'docks', 'other', 'constructor'].map((world) => propose(world)))).toEqual([
    201, 201, 404, 404,
  ]);
  // Everywhere as its own agent of that world, and nothing else.
  expect(await propose('docks', { key: 'k', agent: 'claude-code' })).toBe(404);
  expect(await propose('docks', { key: 'k', agent: 'claude-here' })).toBe(201);
  for (const path of ['/worlds/docks', '/worlds/docks/chats', '/worlds/docks/external/reading-rules?program=claude'])
    expect((await t.api('GET', path, undefined, as)).status).toBe(403);
  expect(
    (await t.api('POST', '/worlds/other/external/agents', { name: 'X', program: 'claude', tokenId }, as)).status,
  ).toBe(403);
  const { body } = await t.api<{ items: { id: string }[] }>('GET', `/people/${t.claude.person}/tokens`);
  expect(body.items.find(({ id }) => id === tokenId)).toMatchObject({
    external: { world: 'harbour', agent: 'claude-code', also: [{ world: 'docks', agent: 'claude-here' }] },
  });
  const log = await t.api('GET', '/audit?limit=50');
  expect(log.text).toContain('token extended');
  expect((await t.api('DELETE', `/people/${t.claude.person}/tokens/${tokenId}`)).status).toBe(204);
  expect(await propose('docks', { key: 'late' })).toBe(401);
});

it('[WHO5] a response says when its token expires, and gate status doesn’t extend it', async () => {
  const t = await open();
  const { as } = t.claude;
  const DAY = 24 * 60 * 60 * 1000;
  const left = ({ headers }: { headers: Headers }): number =>
    Math.round((Date.parse(headers.get('x-countersign-token-expires') ?? '') - t.clock.now()) / DAY);
  await t.api('POST', CALLS, bash('rm a'), as);
  t.clock.advance(80 * DAY);
  const check = async () => left(await t.api('GET', `${CALLS}/none`, undefined, as));
  expect([await check(), await check()]).toEqual([10, 10]);
  expect(left(await t.api('POST', CALLS, bash('rm b'), as))).toBe(10);
  expect(await check()).toBe(90);
  expect((await t.api('GET', '/me')).headers.has('x-countersign-token-expires')).toBe(false);
});

it('[EXT1.16] another token of the agent, or another claim, gets neither the verdict nor the call', async () => {
  const t = await open();
  const { as } = t.claude;
  const { id } = (await t.api<ExternalCall>('POST', CALLS, bash('rm a', { claim: 'mine' }), as)).body;
  const approve = { tool_call_id: (await t.pending())[0]?.approvalId, decision: 'approve' };
  expect((await t.api('POST', '/worlds/harbour/tool-results', approve)).status).toBe(200);
  const copy = (await addAgent(t, 'Claude Code')).as;
  for (const [from, claim] of [
    [copy, 'mine'],
    [as, 'other'],
    [{}, 'mine'],
  ] as const) {
    const refused = await Promise.all([
      t.api('GET', `${CALLS}/${id}?claim=${claim}`, undefined, from),
      t.api('POST', `${CALLS}/${id}/fetch`, { claim }, from),
      t.api('POST', `${CALLS}/${id}/result`, { content: 'forged', claim }, from),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([409, 409, 409]);
  }
  const allowed = await t.api('GET', `${CALLS}/${id}?claim=mine`, undefined, as);
  expect(allowed.body).toMatchObject({ state: 'allowed', arguments: { command: 'rm a' } });
  expect((await t.api('POST', `${CALLS}/${id}/result`, { content: 'done', claim: 'mine' }, as)).status).toBe(204);
});

it('[SIGN1.6] [EXT1.16] the person who uses a program requests its calls, and nobody does if none is named', async () => {
  const t = await open();
  for (const name of ['Ada', 'Bob']) await t.api('POST', '/people', { name, role: 'approver' });
  const etag = (await t.api('GET', '/worlds/harbour/policy')).headers.get('etag') ?? '';
  const rules = ['ask * by not requester'];
  expect((await t.api('PUT', '/worlds/harbour/policy', { rules }, { 'If-Match': etag })).status).toBe(200);
  const own = await t.api<CreatedExternalAgent>('POST', '/worlds/harbour/external/agents', {
    name: 'Claude Code',
    program: 'claude',
    usedBy: 'bob',
  });
  expect(own.body.person).toBe('bob');
  const asBobsProgram = { Authorization: `Bearer ${own.body.token}` };
  const [shared, bobs] = [
    (await t.api<ExternalCall>('POST', CALLS, bash('ls'), t.claude.as)).body,
    (await t.api<ExternalCall>('POST', CALLS, bash('ls'), asBobsProgram)).body,
  ];
  expect(bobs.id).not.toBe(shared.id);
  const cardOf = async ({ approval }: ExternalCall) =>
    (await t.api('GET', `/worlds/harbour/approvals/${approval?.id}`)).body;
  expect(await cardOf(shared)).toMatchObject({ needs: [{ stuck: 'unknown-requester' }] });
  expect(await cardOf(bobs)).toMatchObject({ needs: [{ mayIds: ['owner', 'ada'] }] });
});

it('[EXT1.6] neither a removed agent nor a revoked token can propose calls', async () => {
  const t = await open();
  const spare = await addAgent(t, 'Spare');
  expect((await t.api('DELETE', `/worlds/harbour/agents/${spare.agent}`)).status).toBe(204);
  expect((await t.api('POST', CALLS, bash('ls'), spare.as)).status).toBe(404);
  const { items } = (await t.api<{ items: { id: string; name: string }[] }>('GET', '/people/owner/tokens')).body;
  const found = items.find(({ name }) => name === 'Claude Code');
  expect(found).toMatchObject({ scopes: ['propose'], external: { world: 'harbour', agent: t.claude.agent } });
  expect((await t.api('DELETE', `/people/owner/tokens/${found?.id}`)).status).toBe(204);
  expect((await t.api('POST', CALLS, bash('ls'), t.claude.as)).status).toBe(401);
});

it('[HTTP9] bad input is refused at its field', async () => {
  const t = await open();
  const { as } = t.claude;
  for (const [more, field] of [
    [{ key: '' }, 'key'],
    [{ program: 'mcp' }, 'program'],
    [{ program: 'Claude Code' }, 'program'],
    [{ tool: 'a b' }, 'tool'],
    [{ arguments: 'ls' }, 'arguments'],
    [{ cwd: 'project' }, 'cwd'],
    [{ wait: 51 }, 'wait'],
    [{ more: 1 }, 'more'],
  ] as const) {
    const { status, body } = await t.api('POST', CALLS, bash('ls', more), as);
    expect([field, status, body['field']]).toEqual([field, 422, field]);
  }
  expect((await t.api('POST', CALLS, bash('ls', { agent: 'ada' }))).body).toMatchObject({ field: 'agent' });
  expect((await t.api('POST', CALLS, bash('ls'))).body).toMatchObject({ status: 422, field: 'agent' });
  const taken = await t.api('POST', '/worlds/harbour/external/agents', { name: 'Ada', program: 'claude' });
  expect(taken.body).toMatchObject({ status: 409, field: 'name' });
  const check = { tool: 'claude__Bash', arguments: { command: 'ls' }, rehearse: true };
  const rehearsed = await t.api('POST', '/worlds/harbour/policy/check', check);
  const why = expect.stringContaining("Rules about effects can't allow calls to claude__Bash") as string;
  expect(rehearsed.body).toMatchObject({ status: 422, field: 'rehearse', detail: why });
  // Its tools and rules are those of Claude Code.
  const other = await t.api('POST', '/worlds/harbour/external/agents', { name: 'claude code', program: 'gemini' });
  expect(other.body).toMatchObject({ status: 409, field: 'name' });
  const again = await addAgent(t, 'claude code');
  expect(again).toMatchObject({ agent: t.claude.agent, created: false });
  expect(await t.pending()).toEqual([]);
});

it('[EXT1] a server that shuts down answers a waiting program, and the answer is no yes', async () => {
  const t = await openApp();
  await t.api('POST', '/worlds', { name: 'Harbour' });
  const { as } = await addAgent(t, 'Claude');
  const { id } = (await t.api<ExternalCall>('POST', CALLS, bash('ls'), as)).body;
  const waiting = t.api<ExternalCall>('GET', `${CALLS}/${id}?wait=50`, undefined, as).catch(() => undefined);
  await t.close();
  expect((await waiting)?.body.state).not.toBe('allowed');
});

it('[EXT1.11] a further session gets 429 and a sentence that says what to do', async () => {
  const t = await open();
  for (let session = 0; session < 500; session += 1)
    t.engine.runtime.background.external.openSession('harbour', t.claude.agent);
  const refused = await t.api<{ detail: string }>('POST', CALLS, bash('ls'), t.claude.as);
  expect(refused).toMatchObject({
    status: 429,
    body: { detail: expect.stringContaining('revoke its token') as string },
  });
  expect(await t.pending()).toEqual([]);
});

it('[EXT1.12] [CHANGE9] a call is not written if its token is revoked while it is rehearsed', async () => {
  const ends: (() => void)[] = [];
  const { tool } = removing();
  const shell: Tool = {
    ...tool,
    definition: { ...tool.definition, name: 'shell_cmd' },
    rehearsals: {
      rehearse: () => Promise.reject(new Error('only a prediction was expected')),
      drop: async () => undefined,
      list: async () => [],
      predict: () => new Promise((resolve) => ends.push(() => resolve({ noEffect: { reason: 'failed' } }))),
    },
  };
  const t = await openHarbour({ tools: [shell] });
  const { as, person, tokenId } = await addAgent(t, 'Claude Code');
  const proposed = t.api('POST', CALLS, bash('rm a'), as);
  await until(async () => ends[0], 'the call is rehearsed');
  expect((await t.api('DELETE', `/people/${person}/tokens/${tokenId}`)).status).toBe(204);
  ends[0]?.();
  expect((await proposed).status).toBe(401);
  expect(await t.pending()).toEqual([]);
  expect(t.errors).toEqual([]);
});
