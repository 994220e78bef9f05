import type { Tool } from '@countersign/core/ports';
import {
  type AuditEntry,
  CLIENT_HEADER,
  type CreatedToken,
  type Effect,
  SESSION_HEADER,
  type RegisteredClient,
} from '@countersign/protocol';
import { writeFile } from '@countersign/tools';
import { afterEach, describe, expect, it } from 'vitest';
import { closeApps, TOKEN } from '../testing/app-fixture.js';
import { openHarbour, remove, removing, type Harbour } from '../testing/harbour.js';
import { openStream } from '../testing/open-stream.js';

afterEach(closeApps);

const decide = (t: Harbour, body: Record<string, unknown>, headers?: Record<string, string>) =>
  t.api('POST', '/worlds/harbour/tool-results', body, headers);

async function asked(...paths: string[]): Promise<Harbour> {
  const t = await openHarbour();
  await t.propose(...paths.map(remove));
  return t;
}

async function register(t: Harbour, client: Record<string, unknown>): Promise<RegisteredClient> {
  return (await t.api<RegisteredClient>('POST', '/worlds/harbour/clients', client)).body;
}

describe('the whole effect of a call', () => {
  const hash = 'a'.repeat(64);
  const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
  const effectOf = (count: number): Effect => ({
    files: Array.from({ length: count }, (_, index) => ({
      path: `file-${index}`,
      change: 'changed',
      kind: 'file',
      bytes: 1,
      diff: `${'+one two three\n'.repeat(index === 0 ? 3_000 : 1)}+GITHUB_TOKEN=${secret}`,
    })),
    leftOut: [],
    effectHash: hash,
    exitCode: 0,
    output: '',
    truncated: false,
  });
  const sweep = (shown: () => Effect | undefined): Tool => {
    const { tool } = removing();
    return {
      ...tool,
      definition: { ...tool.definition, name: 'sweep' },
      rehearsals: {
        rehearse: async () => ({ fingerprint: hash, effect: effectOf(1_200) }),
        show: async () => shown(),
        drop: async () => undefined,
        list: async () => [],
      },
    };
  };

  it('[CHANGE6.10] is masked, has the same hash, and is available while the call waits', async () => {
    let kept: Effect | undefined = effectOf(1_200);
    const t = await openHarbour({ tools: [sweep(() => kept)] });
    await t.propose({ name: 'sweep', arguments: {} });
    const [pending] = await t.pending();
    expect(pending).toMatchObject({ effect: { effectHash: hash, truncated: true } });
    const path = `/worlds/harbour/approvals/${pending?.approvalId}/effect`;
    const { status, body } = await t.api<{ effect: Effect }>('GET', path);
    expect(status).toBe(200);
    expect(body.effect).toMatchObject({ effectHash: hash, truncated: false });
    expect(body.effect.files).toHaveLength(1_200);
    expect(body.effect.files[0]?.diff?.length).toBeGreaterThan(40_000);
    expect(JSON.stringify(body)).not.toContain(secret);
    kept = { ...effectOf(1), effectHash: 'b'.repeat(64) };
    expect(await t.api('GET', path)).toMatchObject({ status: 409 });
    kept = undefined;
    expect(await t.api('GET', path)).toMatchObject({ status: 409 });
    kept = effectOf(1_200);
    await decide(t, { tool_call_id: pending?.approvalId, decision: 'deny', reason: 'no' });
    expect(await t.api('GET', path)).toMatchObject({ status: 409 });
  });

  it('[CHANGE6.10] [CHANGE7] of a file tool is the one on its card, because the arguments have the rest', async () => {
    const t = await openHarbour({ tools: [writeFile()] });
    await t.propose({ name: 'write_file', arguments: { path: 'long.txt', content: 'line\n'.repeat(30_000) } });
    const [pending] = await t.pending();
    expect(pending).toMatchObject({ effect: { files: [{ path: 'long.txt', change: 'added' }], truncated: true } });
    const path = `/worlds/harbour/approvals/${pending?.approvalId}/effect`;
    const { status, body } = await t.api<{ effect: Effect }>('GET', path);
    expect(status).toBe(200);
    expect(pending).toMatchObject(body);
  });

  it('[CHANGE6.10] does not exist for a call that was not rehearsed, or in another world', async () => {
    const t = await asked('a');
    const [pending] = await t.pending();
    expect(await t.api('GET', `/worlds/harbour/approvals/${pending?.approvalId}/effect`)).toMatchObject({
      status: 404,
    });
    expect(await t.api('GET', '/worlds/harbour/approvals/none/effect')).toMatchObject({ status: 404 });
  });
});

describe('the approval queue', () => {
  it('[CALL12] [HTTP8] [HTTP8.1] lists approvals in order, with their positions', async () => {
    const t = await asked('a', 'b', 'c');
    const queue = await t.pending();
    expect(queue.map(({ position, total }) => [position, total])).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    const second = queue[1];
    await decide(t, { tool_call_id: second?.approvalId, decision: 'deny', reason: 'no' });
    expect((await t.pending()).map(({ position, total }) => [position, total])).toEqual([
      [1, 2],
      [2, 2],
    ]);
    const denied = (await t.api('GET', '/worlds/harbour/approvals?status=denied')).body;
    expect(denied).toMatchObject({ items: [{ approvalId: second?.approvalId, status: 'denied' }] });
    expect(JSON.stringify(denied)).not.toContain('"position"');
    const { body: chat } = await t.api<{ title: string }>('GET', `/worlds/harbour/chats/${t.chat}`);
    expect((await t.api('GET', `/worlds/harbour/approvals?chat=${t.chat}&limit=1`)).body).toMatchObject({
      items: [{ position: 1, total: 2, chatTitle: chat.title }],
      next: queue[0]?.approvalId,
    });
    expect((await t.api('GET', '/worlds/harbour/approvals?chat=another')).body).toEqual({ items: [] });
    expect((await t.api('GET', '/worlds/harbour/approvals?status=open')).body).toMatchObject({ field: 'status' });
    expect((await t.api('GET', '/worlds/harbour/approvals?after=none')).body).toMatchObject({ field: 'after' });
  });

  it('[CALL12] counts up to 100 and reports that there are more', async () => {
    const t = await openHarbour();
    await t.api('POST', '/worlds/harbour/agents', { name: 'Bob', provider: 'scripted', model: 'any', tools: ['*'] });
    // Both agents make these calls.
    await t.propose(...Array.from({ length: 51 }, (_, index) => remove(`file ${index}`)));
    const pages: Record<string, unknown>[] = [];
    for (let after = ''; ;) {
      const { body } = await t.api<{ items: Record<string, unknown>[]; next?: string }>(
        'GET',
        `/worlds/harbour/approvals?limit=75${after}`,
      );
      pages.push(...body.items);
      if (body.next === undefined) break;
      after = `&after=${body.next}`;
    }
    const positions = Array.from({ length: 100 }, (_, index) => index + 1);
    expect(pages.map(({ position }) => position)).toEqual([...positions, undefined, undefined]);
    expect(new Set(pages.map(({ total, more }) => `${String(total)} ${String(more)}`))).toEqual(new Set(['100 true']));
    for (const [index, place] of [
      [0, { position: 1, total: 100, more: true }],
      [101, { total: 100, more: true }],
    ] as const) {
      const card = await t.api('GET', `/worlds/harbour/approvals/${String(pages[index]?.['approvalId'])}`);
      expect(card.body).toMatchObject(place);
      expect('position' in card.body).toBe('position' in place);
    }
  });

  it('[CALL3.2] [HTTP8.2] returns an approval with the last messages of its chat', async () => {
    // Each of these calls writes a message, but none has words.
    const t = await asked('a', ...Array.from({ length: 24 }, (_, index) => `${index}`));
    const [question] = await t.pending();
    const shown = await t.api('GET', `/worlds/harbour/approvals/${question?.approvalId}`);
    expect(shown.body).toMatchObject({ toolName: 'remove', arguments: { path: 'a' }, position: 1, total: 25 });
    const words = (body: Record<string, unknown>): string[] =>
      (body['context'] as { content: string }[]).map(({ content }) => content);
    expect(words(shown.body)).toHaveLength(1);
    expect((await t.api('GET', '/worlds/harbour/approvals/none')).status).toBe(404);
    await t.api('POST', '/worlds', { name: 'Other' });
    expect((await t.api('GET', `/worlds/other/approvals/${question?.approvalId}`)).status).toBe(404);
  });
});

describe('decisions', () => {
  it('[HTTP8.5] [HTTP14] a repeated decision returns the same outcome and changes nothing', async () => {
    const t = await asked('a');
    const [question] = await t.pending();
    const body = { tool_call_id: question?.approvalId, decision: 'approve', callHash: question?.callHash };
    expect(await decide(t, body)).toMatchObject({ status: 200, body: { kind: 'recorded', state: 'approved' } });
    await t.settled();
    expect(await decide(t, body)).toMatchObject({ status: 200, body: { kind: 'repeated', state: 'succeeded' } });
    const other = await decide(t, { ...body, decision: 'deny' });
    expect(other).toMatchObject({ status: 409, body: { state: 'succeeded' } });
    expect(t.runs).toEqual([{ path: 'a' }]);
  });

  it('[HTTP14] [CALL6] an unknown id gets 404; another agent, chat or world gets 403; another hash gets 409', async () => {
    const t = await asked('a');
    await t.api('POST', '/worlds', { name: 'Other' });
    const [question] = await t.pending();
    const body = { tool_call_id: question?.approvalId, decision: 'approve' };
    expect((await decide(t, { ...body, tool_call_id: 'approval_none' })).status).toBe(404);
    expect((await decide(t, { ...body, agentId: 'bob' })).status).toBe(403);
    expect((await decide(t, { ...body, chatId: 'chat_other' })).status).toBe(403);
    expect((await t.api('POST', '/worlds/other/tool-results', body)).status).toBe(403);
    expect((await decide(t, { ...body, callHash: 'another' })).status).toBe(409);
    expect((await decide(t, { ...body, turnId: 'another' })).status).toBe(409);
    expect((await decide(t, { ...body, scope: 'always', rule: 'allow other' })).status).toBe(422);
    expect(t.runs).toEqual([]);
    expect(await t.pending()).toHaveLength(1);
    expect((await decide(t, { ...body, agentId: 'ada' })).status).toBe(200);
  });

  it('[HTTP14] [WHO4.3] a call in a world that a person may not read gets the same answer as an unknown id', async () => {
    const t = await asked('a');
    await t.api('POST', '/worlds', { name: 'Other' });
    await t.api('POST', '/people', { name: 'Bob', role: null, worldRoles: { other: 'approver' } });
    // Only the person can create a token that signs, so Bob signs in with an invitation and creates one.
    const { open } = (await t.api<{ open: string }>('POST', '/people/bob/invitations')).body;
    const signedIn = await t.api<{ session: string }>(
      'POST',
      '/session',
      { invitation: open.split('=')[1] },
      { Authorization: '' },
    );
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const made = await fetch(`${t.url}/api/people/bob/tokens`, {
      method: 'POST',
      headers: { cookie, [SESSION_HEADER]: signedIn.body.session, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'test', scopes: ['read', 'chat', 'sign'] }),
    });
    const bob = { Authorization: `Bearer ${((await made.json()) as CreatedToken).token}` };
    const [question] = await t.pending();
    const ids = ['approval_none', question?.approvalId ?? '', question?.toolCallId ?? ''];
    for (const more of [{ decision: 'approve' }, { decision: 'deny' }, { content: 'yes' }]) {
      const answers = [];
      for (const id of ids)
        answers.push(await t.api('POST', '/worlds/other/tool-results', { tool_call_id: id, ...more }, bob));
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    }
    for (const [method, path] of [
      ['POST', '/reveal'],
      ['GET', ''],
    ] as const) {
      const answers = [];
      for (const id of ids.slice(0, 2)) {
        const { status, body } = await t.api(method, `/worlds/other/approvals/${id}${path}`, undefined, bob);
        answers.push(`${status} ${JSON.stringify(body).replaceAll(id, 'ID')}`);
      }
      expect(answers[0]).toMatch(/^404/);
      expect(answers[1]).toBe(answers[0]);
    }
    // Nor do the records of the attempts tell.
    const { body } = await t.api<{ items: AuditEntry[] }>('GET', '/worlds/other/audit', undefined, bob);
    const refusals = body.items.filter(({ kind }) => kind === 'refusal');
    expect(new Set(refusals.map(({ why }) => why)).size).toBe(1);
    expect(refusals).toHaveLength(9);
    expect(await t.pending()).toHaveLength(1);
  });

  it('[CALL15] [HTTP1] an invalid decision approves nothing and names the field', async () => {
    const t = await asked('a');
    const [question] = await t.pending();
    const body = { tool_call_id: question?.approvalId };
    for (const [wrong, field] of [
      [{ decision: '' }, 'decision'],
      [{ decision: 'yes' }, 'decision'],
      [{ decision: 'approve', scpoe: 'once' }, 'scpoe'],
      [{ decision: 'approve', scope: 'forever' }, 'scope'],
      [{ content: 'approve' }, undefined],
      [{ content: 5 }, 'content'],
      [{ error: 'no' }, 'error'],
    ] as const) {
      const answer = await decide(t, { ...body, ...wrong });
      expect(answer.status).toBe(422);
      expect(answer.body['field']).toBe(field);
    }
    expect(await t.pending()).toHaveLength(1);
    expect(t.runs).toEqual([]);
  });

  it('[HTTP8.5] streams events until the chat is idle, on request', async () => {
    const t = await asked('a');
    const [question] = await t.pending();
    const stream = await openStream(`${t.url}/api/worlds/harbour/tool-results`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream' },
      body: { tool_call_id: question?.approvalId, decision: 'approve' },
    });
    expect(await stream.over).toBe(true);
    const types = stream.frames.filter(({ event }) => event === 'tool').map(({ data }) => data['type']);
    expect(types).toEqual(['TOOL_APPROVED', 'TOOL_EXECUTION_STARTED', 'TOOL_EXECUTION_SUCCEEDED']);
    expect(stream.frames.findLast(({ event }) => event === 'message')?.data).toMatchObject({ content: 'done' });
  });

  it('[CALL5.2] [CALL14] [HTTP10] a session decision creates a grant that is listed and can be revoked', async () => {
    const t = await asked('a');
    const [question] = await t.pending();
    await decide(t, { tool_call_id: question?.approvalId, decision: 'approve', scope: 'session', pattern: '*' });
    await t.settled();
    const grants = (await t.api<{ items: { grantId: string }[] }>('GET', '/worlds/harbour/grants')).body.items;
    expect(grants).toMatchObject([
      { toolName: 'remove', scope: 'session', grantedBy: { kind: 'token', name: 'token' } },
    ]);
    await t.propose(remove('b'));
    expect(t.runs).toHaveLength(2);
    const path = `/worlds/harbour/grants/${grants[0]?.grantId}`;
    expect((await t.api('DELETE', path)).status).toBe(204);
    expect((await t.api('DELETE', path)).status).toBe(404);
    await t.propose(remove('c'));
    expect(await t.pending()).toHaveLength(1);
    expect(t.runs).toHaveLength(2);
  });

  it('[HTTP8.3] [LIB5.2] changes to approvals and grants have their own stream, which can resume', async () => {
    const t = await asked('a');
    const [question] = await t.pending();
    await decide(t, { tool_call_id: question?.approvalId, decision: 'approve', scope: 'session' });
    await t.settled();
    const url = `${t.url}/api/worlds/harbour/approvals/events`;
    const headers = { authorization: `Bearer ${TOKEN}` };
    const changes = async (after: number): Promise<{ id: string; change: unknown }[]> => {
      const stream = await openStream(`${url}?after=${after}`, { headers });
      await stream.until(({ data }) => data['entity'] === 'grant');
      stream.close();
      await stream.over;
      return stream.frames.map(({ id, event, data }) => ({
        id,
        change: event === 'tool' ? data['type'] : `${String(data['operation'])} ${String(data['entity'])}`,
      }));
    };
    const all = await changes(0);
    expect(all.map(({ change }) => change)).toEqual(['TOOL_APPROVAL_REQUESTED', 'TOOL_APPROVED', 'create grant']);
    expect(await changes(Number(all[0]?.id))).toEqual(all.slice(1));
    expect((await t.api('GET', '/worlds/nowhere/approvals/events')).status).toBe(404);
    const reader = await register(t, { label: 'Log', approvals: false });
    const secret = { [CLIENT_HEADER]: reader.clientSecret };
    expect((await t.api('GET', '/worlds/harbour/approvals/events', undefined, secret)).status).toBe(403);
  });

  it('[LOG1] the audit log records the signer and the client', async () => {
    const t = await asked('a');
    const client = await register(t, { label: 'Desk', approvals: true });
    const [question] = await t.pending();
    await decide(t, { tool_call_id: question?.approvalId, decision: 'deny' }, { [CLIENT_HEADER]: client.clientSecret });
    const audit = (await t.api<{ items: { kind: string }[] }>('GET', '/worlds/harbour/audit')).body.items;
    expect(audit.find(({ kind }) => kind === 'decision')).toMatchObject({
      who: { kind: 'token' },
      client: client.clientId,
    });
  });
});

describe('clients', () => {
  const pick = {
    name: 'pick',
    description: 'lets the person pick',
    parameters: { type: 'object', properties: { from: { type: 'string' } }, required: ['from'] },
  };

  it('[CALL16] a connected client gets calls to its tools with unmasked arguments, and only it can answer them', async () => {
    const t = await openHarbour();
    const client = await register(t, { label: 'Editor', approvals: true, tools: [pick] });
    const secret = { [CLIENT_HEADER]: client.clientSecret };
    const headers = { authorization: `Bearer ${TOKEN}`, [CLIENT_HEADER]: client.clientSecret };
    const stream = await openStream(`${t.url}/api/worlds/harbour/events`, { headers });
    const stranger = await openStream(`${t.url}/api/worlds/harbour/events`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const [name = ''] = client.tools;
    await t.propose({ name, arguments: { from: 'red', password: 'hunter2-secret' } });
    const [question] = await t.pending();
    await decide(t, { tool_call_id: question?.approvalId, decision: 'approve' });
    const isStart = ({ data }: { data: Record<string, unknown> }): boolean => data['type'] === 'TOOL_EXECUTION_STARTED';
    expect((await stream.until(isStart)).data['arguments']).toEqual({ from: 'red', password: 'hunter2-secret' });
    expect(JSON.stringify((await stranger.until(isStart)).data)).not.toContain('hunter2');
    const result = { tool_call_id: question?.toolCallId, content: 'red it is' };
    expect((await decide(t, result)).status).toBe(403);
    const other = await register(t, { label: 'Editor', approvals: true, tools: [pick] });
    expect((await decide(t, result, { [CLIENT_HEADER]: other.clientSecret })).status).toBe(403);
    expect(await decide(t, result, secret)).toMatchObject({ status: 200, body: { state: 'succeeded' } });
    expect(await t.settled()).toBe('idle');
    expect((await decide(t, result, secret)).status).toBe(200);
    expect((await decide(t, { ...result, content: 'blue it is' }, secret)).status).toBe(409);
  });

  it('[CALL13] a client without approvals sees none and can’t decide', async () => {
    const t = await asked('a');
    const blind = await register(t, { label: 'Job', approvals: false });
    const secret = { [CLIENT_HEADER]: blind.clientSecret };
    const [question] = await t.pending();
    const body = { tool_call_id: question?.approvalId, decision: 'approve' };
    expect((await decide(t, body, secret)).status).toBe(403);
    expect((await t.api('GET', '/worlds/harbour/approvals', undefined, secret)).status).toBe(403);
    const one = `/worlds/harbour/approvals/${question?.approvalId}`;
    expect((await t.api('GET', one, undefined, secret)).status).toBe(403);
    expect(t.runs).toEqual([]);
    expect(await t.pending()).toHaveLength(1);
  });

  it('[CALL13.2] an unattended world asks a connected client, and denies immediately without one', async () => {
    const t = await openHarbour();
    await t.api('PATCH', '/worlds/harbour', { unattended: 'deny' });
    await t.propose(remove('a'));
    expect(await t.pending()).toEqual([]);
    const { clientSecret } = await register(t, { label: 'Web', approvals: true });
    const headers = { authorization: `Bearer ${TOKEN}`, [CLIENT_HEADER]: clientSecret };
    const stream = await openStream(`${t.url}/api/worlds/harbour/events`, { headers });
    await t.propose(remove('b'));
    expect(await t.pending()).toHaveLength(1);
    stream.close();
    await stream.over;
  });

  it('[CALL16] an unknown client secret is rejected', async () => {
    const t = await asked('a');
    const secret = { [CLIENT_HEADER]: 'not-a-secret' };
    const [question] = await t.pending();
    const body = { tool_call_id: question?.approvalId, decision: 'approve' };
    expect((await decide(t, body, secret)).status).toBe(403);
    expect((await t.api('GET', '/worlds/harbour/events', undefined, secret)).status).toBe(403);
    expect(t.runs).toEqual([]);
  });

  it('[HTTP1] [HTTP7.1] an invalid registration is rejected with the field name', async () => {
    const t = await openHarbour();
    for (const [body, field] of [
      [{ label: 'x' }, 'approvals'],
      [{ label: '', approvals: true }, 'label'],
      [{ label: 'x', approvals: true, tools: [{ ...pick, name: 'a b' }] }, 'tools.0.name'],
      [{ label: 'x', approvals: true, tools: [{ ...pick, parameters: { type: 'nonsense' } }] }, 'parameters'],
    ] as const) {
      expect((await t.api('POST', '/worlds/harbour/clients', body)).body).toMatchObject({ status: 422, field });
    }
  });
});

describe('revealing masked values', () => {
  const SECRET = 'correct-horse-battery';
  const path = (id: string | undefined, world = 'harbour'): string => `/worlds/${world}/approvals/${id}/reveal`;

  async function masked(): Promise<{ t: Harbour; id: string }> {
    const t = await openHarbour();
    await t.propose({ name: 'remove', arguments: { path: 'a\u202e', password: SECRET } });
    const [question] = await t.pending();
    return { t, id: question?.approvalId ?? '' };
  }
  const reveals = async (t: Harbour): Promise<Record<string, unknown>[]> => {
    const { body } = await t.api<{ items: Record<string, unknown>[] }>('GET', '/worlds/harbour/audit');
    return body.items.filter(({ kind }) => kind === 'reveal');
  };

  it('[SAFE6.6] [HTTP8.4] returns a pending call unmasked and records who revealed it', async () => {
    const { t, id } = await masked();
    expect(JSON.stringify(await t.pending())).not.toContain(SECRET);
    const shown = await t.api('POST', path(id));
    expect(shown).toMatchObject({
      status: 200,
      body: { toolName: 'remove', arguments: { path: 'a‹U+202E›', password: SECRET } },
    });
    const [record] = await reveals(t);
    expect(record).toMatchObject({ approvalId: id, tool: 'remove', who: { kind: 'token', name: 'token' } });
    expect(JSON.stringify(record)).not.toContain(SECRET);
    await decide(t, { tool_call_id: id, decision: 'approve' });
    expect(JSON.stringify(await t.api('GET', '/worlds/harbour/audit'))).not.toContain(SECRET);
  });

  it('[SAFE6.6] [CALL13] needs permission to decide, and a call that is still pending', async () => {
    const { t, id } = await masked();
    const { clientSecret } = await register(t, { label: 'pipe', approvals: false });
    expect((await t.api('POST', path(id), undefined, { [CLIENT_HEADER]: clientSecret })).status).toBe(403);
    expect((await t.api('POST', path('approval_none'))).status).toBe(404);
    await t.api('POST', '/worlds', { name: 'Other' });
    const foreign = await t.api('POST', path(id, 'other'));
    expect(foreign.status).toBe(403);
    await decide(t, { tool_call_id: id, decision: 'deny', reason: 'no' });
    const late = await t.api('POST', path(id));
    expect(late).toMatchObject({ status: 409, body: { state: 'denied' } });
    expect(JSON.stringify([foreign, late])).not.toContain(SECRET);
    expect(await reveals(t)).toEqual([]);
  });
});
