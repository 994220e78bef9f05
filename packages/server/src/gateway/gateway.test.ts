import { SERVER_LOG } from '@countersign/core/ports';
import type { CreatedExternalAgent, CreatedToken } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { createExternalLimiter } from '../people/external-limiter.js';
import { closeApps, TOKEN, until, type AppFixtureOptions } from '../testing/app-fixture.js';
import { openHarbour, removing, type Harbour } from '../testing/harbour.js';
import { callOf, INITIALIZE, sendMcp, type McpMessage, type McpOptions } from '../testing/mcp-client.js';

afterEach(closeApps);

interface Gateway extends Harbour {
  token: string;
  send(message: unknown, options?: McpOptions): ReturnType<typeof sendMcp>;
  /** Sends a call and waits until it needs approval. */
  ask(args: unknown, options?: McpOptions & { id?: number; meta?: object }): Promise<Asked>;
  decide(body: Record<string, unknown>): Promise<unknown>;
}

interface Asked {
  answer: ReturnType<typeof sendMcp>;
  approvalId: string;
}

async function openGateway(
  program = 'cursor',
  tools: readonly string[] = ['remove'],
  options: AppFixtureOptions = {},
): Promise<Gateway> {
  const t = await openHarbour(options);
  const { body } = await t.api<CreatedExternalAgent>('POST', '/worlds/harbour/external/agents', {
    name: 'Cursor',
    program,
    tools,
  });
  const { token } = body;
  const send: Gateway['send'] = (message, options) => sendMcp(`${t.url}/mcp/harbour`, message, { token, ...options });
  return {
    ...t,
    token,
    send,
    async ask(args, { id = 1, meta, ...options } = {}) {
      const before = new Set((await t.pending()).map(({ approvalId }) => approvalId));
      const answer = send(callOf('remove', args, { id, ...(meta === undefined ? {} : { meta }) }), options);
      // Prevents an unhandled rejection if the test aborts the request.
      answer.catch(() => undefined);
      const approvalId = await until(
        async () => (await t.pending()).find((each) => !before.has(each.approvalId))?.approvalId,
        'the call needs approval',
      );
      return { answer, approvalId };
    },
    decide: (body) => t.api('POST', '/worlds/harbour/tool-results', body),
  };
}

const text = (message: McpMessage | undefined) => message?.result?.content?.map((block) => block.text).join('\n');

it('[LOG1.8] refused requests of MCP clients are in the server’s audit log', async () => {
  const clock = { now: () => 0 };
  const limiter = createExternalLimiter(clock, { callsPerMinute: 1, megabytesPerHour: 1 });
  const t = await openGateway('cursor', ['remove'], { context: { externalLimiter: limiter } });
  const reader = await t.api<CreatedToken>('POST', '/people/owner/tokens', { name: 'reader', scopes: ['read'] });
  expect((await t.send(INITIALIZE, { token: 'cs_x_y' })).status).toBe(401);
  expect((await t.send(INITIALIZE, { token: reader.body.token })).status).toBe(403);
  await t.ask({ name: 'a' });
  await t.send(callOf('remove', { name: 'b' }, { id: 2 }));
  const log = await t.engine.runtime.store.read((r) => r.audit(SERVER_LOG, { after: 0, limit: 99 }));
  const why = (text: string) => expect.stringContaining(text) as string;
  expect(log.filter(({ kind }) => kind === 'refusal').map((each) => each.why)).toEqual([
    why('401: POST /mcp/harbour from'),
    why('403: POST /mcp/harbour from'),
    why('429: POST /mcp/harbour from'),
  ]);
});

describe('the MCP gateway', () => {
  it('[EXT2] offers only the tools of its agent, and never forgets them', async () => {
    const t = await openGateway();
    const first = await t.send(INITIALIZE);
    expect(first.session).toMatch(/^[\w-]{36}$/);
    expect(first.messages.at(-1)?.result).toMatchObject({ serverInfo: { name: 'countersign' } });
    const list = await t.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { session: first.session ?? '' });
    expect(list.messages.at(-1)?.result?.tools).toMatchObject([
      { name: 'remove', description: 'removes something', inputSchema: { type: 'object' } },
      { name: 'wait_for_call' },
    ]);
  });

  it('[EXT2.2] holds a call until a person approves it, and says where to approve', async () => {
    const t = await openGateway();
    const heard: McpMessage[] = [];
    const { answer, approvalId } = await t.ask(
      { path: 'a' },
      { meta: { progressToken: 'p' }, onMessage: (message) => heard.push(message) },
    );
    await until(async () => (heard.length > 0 ? true : undefined), 'the client hears that the call waits');
    expect(heard[0]).toMatchObject({ method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } });
    expect(heard[0]?.params?.message).toMatch(
      /remove waits for approval: http:\/\/127\.0\.0\.1:\d+\/w\/harbour\/c\/chat_/,
    );
    expect(t.runs).toEqual([]);
    await t.decide({ tool_call_id: approvalId, decision: 'approve' });
    const { messages } = await answer;
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ type: 'text', text: 'removed' }] } });
    expect(t.runs).toEqual([{ path: 'a' }]);
  });

  it('[EXT2.2] does not say that a call waits for approval if a rule allows it', async () => {
    const running: ((result: string) => void)[] = [];
    const { definition, ...tool } = removing().tool;
    const execute = (): Promise<string> => new Promise((resolve) => void running.push(resolve));
    const slow = { ...tool, definition: { ...definition, name: 'slow' }, execute };
    const t = await openGateway('cursor', ['slow'], { tools: [slow] });
    const { headers } = await t.api('GET', '/worlds/harbour/policy');
    const match = { 'if-match': headers.get('etag') ?? '' };
    await t.api('PUT', '/worlds/harbour/policy', { rules: ['allow slow'] }, match);
    const said = new Map<number, string[]>();
    const send = (id: number) => {
      const own: string[] = [];
      said.set(id, own);
      const onMessage = ({ params }: McpMessage): void => void (params && own.push(params.message ?? ''));
      return t.send(callOf('slow', { id }, { id, meta: { progressToken: id } }), { onMessage });
    };
    const first = send(1);
    await until(async () => said.get(1)?.[0], 'the first call runs');
    // Calls of one session run one after the other, so this one is allowed and not started yet.
    const second = send(2);
    const calls = (): Promise<readonly unknown[]> =>
      t.engine.runtime.store.read(async (reader) => {
        const [turn] = await reader.unfinishedTurns();
        return turn === undefined ? [] : await reader.invocations(turn.id, turn.iteration);
      });
    await until(async () => (await calls())[1], 'the second call is allowed');
    for (const [index, answer] of [first, second].entries()) {
      const finish = await until(async () => running[index], 'the call runs');
      finish('done');
      expect(text((await answer).messages.at(-1))).toBe('done');
    }
    expect(new Set([...said.values()].flat())).toEqual(new Set(['slow is running']));
  });

  it('[EXT2.5] answers a denied call with the reason', async () => {
    const t = await openGateway();
    const { answer, approvalId } = await t.ask({ path: 'a' });
    await t.decide({ tool_call_id: approvalId, decision: 'deny', reason: 'not on Fridays' });
    const { messages } = await answer;
    expect(messages.at(-1)?.result?.isError).toBe(true);
    expect(text(messages.at(-1))).toContain('not on Fridays');
    expect(t.runs).toEqual([]);
  });

  it('[EXT2.3] answers "pending" after its limit, and wait_for_call returns the result of the same call', async () => {
    const t = await openGateway();
    const { answer, approvalId } = await t.ask({ path: 'a' });
    t.clock.advance(50_000);
    const pending = text((await answer).messages.at(-1));
    const call = /"call": "(call_\w+)"/.exec(pending ?? '')?.[1];
    expect(pending).toMatch(/^pending: /);
    const [again, other] = [
      t.send(callOf('wait_for_call', { call })),
      t.send(callOf('wait_for_call', { call }, { id: 2 })),
    ];
    await t.decide({ tool_call_id: approvalId, decision: 'approve' });
    expect(text((await again).messages.at(-1))).toBe('removed');
    expect(text((await other).messages.at(-1))).toBe('removed');
    expect(t.runs).toEqual([{ path: 'a' }]);
    // Its result was delivered, so the same call is a new one now.
    expect((await t.ask({ path: 'a' })).approvalId).not.toBe(approvalId);
  });

  it('[EXT2.4] gives a repeated call the result of the first one if its client left', async () => {
    const t = await openGateway();
    const leaving = new AbortController();
    const { approvalId } = await t.ask({ path: 'a', force: true }, { signal: leaving.signal });
    leaving.abort();
    await t.decide({ tool_call_id: approvalId, decision: 'approve' });
    await until(async () => (t.runs.length === 1 ? true : undefined), 'the call has run');
    const { messages } = await t.send(callOf('remove', { force: true, path: 'a' }));
    expect(text(messages.at(-1))).toBe('removed');
    expect(t.runs).toHaveLength(1);
    // Its result was delivered, so the same call is a new one now.
    const next = await t.ask({ path: 'a', force: true });
    expect(next.approvalId).not.toBe(approvalId);
  });

  it('[EXT2.4] stops holding a call that its client cancels, and the call stays in the queue', async () => {
    const t = await openGateway();
    const session = (await t.send(INITIALIZE)).session ?? '';
    const { answer, approvalId } = await t.ask({ path: 'a' }, { session, id: 7 });
    const cancel = (requestId: unknown, from = session) =>
      t.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, { session: from });
    await cancel('7');
    await cancel(8);
    await cancel(7, 'another');
    for (let storm = 0; storm < 20; storm += 1) expect((await cancel(7)).status).toBe(202);
    expect(text((await answer).messages.at(-1))).toMatch(/^pending: /);
    expect(await t.pending()).toMatchObject([{ approvalId }]);
  });

  it('[EXT2.4] runs equal calls that wait side by side once each', async () => {
    const t = await openGateway();
    const [first, second] = [await t.ask({ path: 'a' }, { id: 1 }), await t.ask({ path: 'a' }, { id: 1 })];
    for (const { approvalId } of [first, second]) await t.decide({ tool_call_id: approvalId, decision: 'approve' });
    for (const { answer } of [first, second]) expect(text((await answer).messages.at(-1))).toBe('removed');
    expect(t.runs).toHaveLength(2);
  });

  it('[EXT2.6] runs a call with a key once, however often it is sent', async () => {
    const t = await openGateway();
    const meta = { 'countersign/key': 'k1' };
    const session = (await t.send(INITIALIZE)).session ?? '';
    const { answer, approvalId } = await t.ask({ path: 'a' }, { session, meta });
    const twice = t.send(callOf('remove', { path: 'a' }, { id: 2, meta }), { session });
    await t.decide({ tool_call_id: approvalId, decision: 'approve' });
    expect(text((await answer).messages.at(-1))).toBe('removed');
    expect(text((await twice).messages.at(-1))).toBe('removed');
    const later = await t.send(callOf('remove', { path: 'a' }, { id: 3, meta }), { session });
    expect(text(later.messages.at(-1))).toBe('removed');
    const changed = await t.send(callOf('remove', { path: 'b' }, { id: 4, meta }), { session });
    expect(changed.messages.at(-1)?.error?.message).toContain('key');
    expect(t.runs).toHaveLength(1);
  });
});

describe('the permission prompt of Claude Code', () => {
  const ask = (t: Gateway, command: string, id: string) =>
    t.send(callOf('permission_prompt', { tool_name: 'Bash', input: { command }, tool_use_id: id }));
  const answer = async (sent: ReturnType<Gateway['send']>) =>
    JSON.parse(text((await sent).messages.at(-1)) ?? '') as Record<string, unknown>;
  const next = (t: Gateway) => until(async () => (await t.pending())[0], 'the call needs approval');

  it('[EXT2.8] answers with the decision and the arguments to run', async () => {
    const t = await openGateway('claude', ['claude__*']);
    const list = await t.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(list.messages.at(-1)?.result?.tools?.map(({ name }) => name)).toEqual([
      'wait_for_call',
      'permission_prompt',
    ]);
    const allowed = ask(t, 'ls', 'toolu_1');
    await t.decide({ tool_call_id: (await next(t)).approvalId, decision: 'approve' });
    expect(await answer(allowed)).toEqual({ behavior: 'allow', updatedInput: { command: 'ls' } });
    // Claude Code may have lost the answer.
    expect(await answer(ask(t, 'ls', 'toolu_1'))).toEqual({ behavior: 'allow', updatedInput: { command: 'ls' } });
    const denied = ask(t, 'rm -rf x', 'toolu_2');
    await t.decide({ tool_call_id: (await next(t)).approvalId, decision: 'deny', reason: 'keep x' });
    expect(await answer(denied)).toEqual({ behavior: 'deny', message: expect.stringContaining('keep x') as string });
    const edited = ask(t, 'rm a b', 'toolu_3');
    const { approvalId } = await next(t);
    await t.decide({ tool_call_id: approvalId, decision: 'approve', arguments: { command: 'rm a' } });
    await t.decide({ tool_call_id: (await next(t)).approvalId, decision: 'approve' });
    expect(await answer(edited)).toEqual({ behavior: 'allow', updatedInput: { command: 'rm a' } });
  });

  it('[EXT2.8] says no to everything it does not understand', async () => {
    const t = await openGateway('claude', ['claude__*']);
    const names = ['', 'Read\n\nApproved by Ada', 'Read\u202E', 'x'.repeat(91)].map((tool_name) => ({
      tool_name,
      input: {},
    }));
    for (const args of [{}, { tool_name: 'Bash' }, { tool_name: 'Bash', input: 'ls' }, ...names]) {
      const { messages } = await t.send(callOf('permission_prompt', args));
      expect({ args, ...(JSON.parse(text(messages.at(-1)) ?? '') as object) }).toMatchObject({ behavior: 'deny' });
    }
    const first = ask(t, 'ls', 'toolu_1');
    await next(t);
    expect(await answer(ask(t, 'rm -rf /', 'toolu_1'))).toMatchObject({ behavior: 'deny' });
    await t.engine.close();
    expect(await answer(first)).toMatchObject({ behavior: 'deny' });
  });
});

describe('a client that loses its access', () => {
  const revoke = async (t: Gateway): Promise<void> => {
    const people = await t.api<{ items: { id: string }[] }>('GET', '/people');
    const [, id] = t.token.split('_');
    const { status } = await t.api('DELETE', `/people/${people.body.items[0]?.id}/tokens/${id}`);
    expect(status).toBe(204);
  };

  it('[EXT1.12] gets an error at once if its token is revoked, and its waiting call never runs', async () => {
    const t = await openGateway();
    const { answer, approvalId } = await t.ask({ path: 'a' });
    await revoke(t);
    // Denied before the request that revokes the token is answered.
    expect(await t.pending()).toEqual([]);
    const { messages } = await answer;
    expect([messages.at(-1)?.result?.isError, text(messages.at(-1))]).toEqual([
      true,
      expect.stringContaining('revoked'),
    ]);
    expect(await t.decide({ tool_call_id: approvalId, decision: 'approve' })).toMatchObject({ status: 409 });
    expect((await t.send(callOf('remove', { path: 'a' }))).status).toBe(401);
    expect([t.runs, t.errors]).toEqual([[], []]);
  });

  it('[EXT1.12] gets no result of a call that was running when its token was revoked', async () => {
    let finish: ((result: string) => void) | undefined;
    const { definition, ...tool } = removing().tool;
    const execute = (): Promise<string> => new Promise((resolve) => (finish = resolve));
    const slow = { ...tool, definition: { ...definition, name: 'slow' }, execute };
    const t = await openGateway('cursor', ['slow'], { tools: [slow] });
    const answer = t.send(callOf('slow', {}));
    const [waiting] = await until(async () => {
      const pending = await t.pending();
      return pending.length > 0 ? pending : undefined;
    }, 'the call needs approval');
    await t.decide({ tool_call_id: waiting?.approvalId, decision: 'approve' });
    await until(async () => finish, 'the call runs');
    await revoke(t);
    expect(text((await answer).messages.at(-1))).toContain('revoked');
    finish?.('secret');
  });

  it('[EXT1.7] gets an error at once if its agent is removed or deactivated, and its waiting call never runs', async () => {
    for (const change of [
      (t: Gateway) => t.api('DELETE', '/worlds/harbour/agents/cursor'),
      (t: Gateway) => t.api('PATCH', '/worlds/harbour/agents/cursor', { active: false }),
    ]) {
      const t = await openGateway();
      const { answer, approvalId } = await t.ask({ path: 'a' });
      expect((await change(t)).status).toBeLessThan(300);
      expect(await t.pending()).toEqual([]);
      const { messages } = await answer;
      expect(messages.at(-1)?.result?.isError).toBe(true);
      expect(text(messages.at(-1))).toContain('removed or deactivated');
      expect(await t.decide({ tool_call_id: approvalId, decision: 'approve' })).toMatchObject({ status: 409 });
      expect((await t.send(callOf('remove', { path: 'a' }))).status).toBe(404);
      expect([t.runs, t.errors]).toEqual([[], []]);
    }
  });

  it('[EXT1.12] [EXT2.8] gets no permission if its token is revoked while the call waits', async () => {
    const t = await openGateway('claude', ['claude__*']);
    const asked = { tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 'toolu_1' };
    const prompted = t.send(callOf('permission_prompt', asked));
    const proposed = fetch(`${t.url}/api/worlds/harbour/external/calls`, {
      method: 'POST',
      headers: { authorization: `Bearer ${t.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ session: 's', key: 'k', program: 'claude', tool: 'Bash', arguments: {}, wait: 50 }),
    });
    await until(async () => ((await t.pending()).length === 2 ? true : undefined), 'both calls need approval');
    await revoke(t);
    expect(await t.pending()).toEqual([]);
    expect(JSON.parse(text((await prompted).messages.at(-1)) ?? '')).toMatchObject({ behavior: 'deny' });
    expect((await proposed).status).toBe(401);
    expect(t.errors).toEqual([]);
  });
});

describe('a hostile MCP client', () => {
  it('[EXT2.1] [HTTP9.2] gets nothing without a token, in another world, or as another agent', async () => {
    const t = await openGateway();
    const { token } = t;
    await t.api('POST', '/worlds', { name: 'Lighthouse' });
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const from = async (path: string, options: McpOptions) => (await sendMcp(`${t.url}${path}`, list, options)).status;
    expect(await from('/mcp/harbour', { token })).toBe(200);
    expect(await from('/mcp/harbour?agent=cursor', { token: TOKEN })).toBe(200);
    expect(await from('/mcp/harbour', {})).toBe(401);
    expect(await from('/mcp/harbour', { token: 'cs_wrong' })).toBe(401);
    expect(await from('/mcp/harbour', { token: TOKEN })).toBe(422);
    expect(await from('/mcp/lighthouse', { token })).toBe(404);
    expect(await from('/mcp/lighthouse?agent=cursor', { token: TOKEN })).toBe(404);
    expect(await from('/mcp/nowhere', { token })).toBe(404);
    expect(await from('/mcp/_server', { token })).toBe(404);
    expect(await from('/mcp/harbour?agent=ada', { token })).toBe(404);
    expect(await from('/mcp/harbour?agent=ada', { token: TOKEN })).toBe(404);
    expect(await from('/mcp/harbour', { token, headers: { origin: 'https://evil.example' } })).toBe(403);
    expect(await from('/mcp/harbour', { token, headers: { 'sec-fetch-site': 'cross-site' } })).toBe(403);
    const plain = async (method: string) =>
      await fetch(`${t.url}/mcp/harbour`, { method, headers: { authorization: `Bearer ${token}` } });
    expect((await plain('DELETE')).status).toBe(204);
    const got = await plain('GET');
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST, DELETE']);
  });

  it('[EXT2.1] calls only listed tools, and waits only for its own calls', async () => {
    const t = await openGateway();
    await t.propose({ name: 'remove', arguments: { path: 'x' } });
    const [ofAda] = await t.pending();
    for (const name of ['review_call', 'mcp__x__y', '__proto__', 'permission_prompt', '']) {
      const { messages } = await t.send(callOf(name, {}));
      expect([name, messages.at(-1)?.error?.code]).toEqual([name, -32602]);
    }
    for (const call of [ofAda?.toolCallId, ofAda?.approvalId, 'call_none', 7, undefined]) {
      const { messages } = await t.send(callOf('wait_for_call', { call }));
      expect([call, messages.at(-1)?.result?.isError]).toEqual([call, true]);
    }
    expect(t.runs).toEqual([]);
    expect(await t.pending()).toHaveLength(1);
  });

  it('[EXT2.7] gets JSON-RPC errors for broken messages, and a limit for huge ones', async () => {
    const t = await openGateway();
    for (const [body, status, code] of [
      ['{', 400, -32700],
      ['', 400, -32700],
      ['null', 400, -32600],
      ['{"jsonrpc":"1.0"}', 400, -32600],
      ['{"jsonrpc":"2.0","id":1,"method":"nothing/like-this"}', 200, -32601],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"remove","arguments":[]}}', 200, -32602],
    ] as const) {
      const { status: got, messages } = await t.send(body);
      expect([body, got, messages.at(-1)?.error?.code]).toEqual([body, status, code]);
    }
    const huge = await t.send(callOf('remove', { path: 'x'.repeat(5_000_000) }));
    expect(huge.status).toBe(413);
    expect((await t.send(INITIALIZE, { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect(await t.pending()).toEqual([]);
    expect(t.errors).toEqual([]);
  });

  it('[EXT2.7] can hold 64 requests, and the next one starts nothing', async () => {
    const t = await openGateway();
    const { answer, approvalId } = await t.ask({ path: 'a' });
    const [call] = await t.pending();
    const waits = Array.from({ length: 63 }, (_, id) =>
      t.send(callOf('wait_for_call', { call: call?.toolCallId }, { id })),
    );
    await until(async () => {
      const { messages } = await t.send(callOf('wait_for_call', { call: 'call_none' }, { id: 'probe' }));
      return text(messages.at(-1))?.includes('already wait') === true ? true : undefined;
    }, 'all requests wait');
    const refused = await t.send(callOf('remove', { path: 'b' }));
    expect(text(refused.messages.at(-1))).toContain('Nothing was started');
    await t.decide({ tool_call_id: approvalId, decision: 'approve' });
    for (const each of [answer, ...waits]) expect(text((await each).messages.at(-1))).toBe('removed');
    expect(t.runs).toEqual([{ path: 'a' }]);
    expect(await t.pending()).toEqual([]);
  });
});
