import { type DecisionResult, SERVER_LOG, type WaitingCall } from '@countersign/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { closeApps, TOKEN } from '../testing/app-fixture.js';
import { openHarbour, remove, type Harbour } from '../testing/harbour.js';
import { openStream, type OpenStream } from '../testing/open-stream.js';
import { as, tokenOf } from '../testing/people.js';
import { createSoftPasskey, insertPasskey } from '../testing/soft-passkey.js';
import { ask } from '../testing/sign-in.js';

afterEach(closeApps);

/** Adds a world `lab` with a chat, and returns a function that proposes calls there. */
async function addLab(t: Harbour): Promise<(...paths: string[]) => Promise<void>> {
  await t.api('POST', '/worlds', { name: 'Lab' });
  await t.api('POST', '/worlds/lab/agents', { name: 'Leo', provider: 'scripted', model: 'any', tools: ['*'] });
  const { id } = (await t.api<{ id: string }>('POST', '/worlds/lab/chats')).body;
  return async (...paths) => {
    const content = JSON.stringify(paths.map(remove));
    await t.api('POST', `/worlds/lab/chats/${id}/messages`, { content });
    await t.engine.quiet();
  };
}

const follow = (t: Harbour, headers: Record<string, string>): Promise<OpenStream> =>
  openStream(`${t.url}/api/approvals/events`, { headers });
const worldsIn = ({ frames }: OpenStream): unknown[] => frames.map(({ data }) => data['worldId']);

describe('what waits in all worlds', () => {
  it('[HTTP8.8] is listed oldest first, in pages, and only from worlds that the person may read', async () => {
    const t = await openHarbour();
    const propose = await addLab(t);
    await t.propose(remove('one'));
    await propose('two', 'three');
    const list = async (query: string, headers = as(TOKEN)) => {
      const { status, body } = await ask<{ items: WaitingCall[]; next?: string }>(
        t,
        'GET',
        `/approvals${query}`,
        headers,
      );
      return { status, ...body, shown: body.items?.map(({ worldId, arguments: args }) => [worldId, args]) };
    };
    const all = await list('');
    expect(all.shown).toEqual([
      ['harbour', { path: 'one' }],
      ['lab', { path: 'two' }],
      ['lab', { path: 'three' }],
    ]);
    const first = await list('?limit=2');
    expect([first.shown, first.next]).toEqual([all.shown.slice(0, 2), first.items[1]?.approvalId]);
    expect(await list(`?after=${first.next}`)).toMatchObject({ shown: all.shown.slice(2) });
    const bob = await tokenOf(t, 'Bob', null, ['read'], { lab: 'viewer' });
    expect((await list('?limit=2', bob)).shown).toEqual(all.shown.slice(1, 3));
    // A cursor doesn't tell whether a call of another world exists.
    expect((await list(`?after=${all.items[0]?.approvalId}`, bob)).status).toBe(422);
    expect((await list('?after=approval_none', bob)).status).toBe(422);
    await t.api('PATCH', '/people/bob', { worldRoles: {} });
    expect((await list('', bob)).status).toBe(403);
  });

  it('[HTTP8.9] is followed over one stream, which says which world changed', async () => {
    const t = await openHarbour();
    const propose = await addLab(t);
    const stream = await follow(t, as(TOKEN));
    const bobs = await follow(t, await tokenOf(t, 'Bob', null, ['read'], { lab: 'viewer' }));
    await t.propose(remove('one'));
    expect(await stream.until(({ event }) => event === 'waiting')).toMatchObject({ data: { worldId: 'harbour' } });
    await propose('two');
    await bobs.until(({ data }) => data['worldId'] === 'lab');
    const [first] = await t.pending();
    const before = stream.frames.length;
    await t.api('POST', '/worlds/harbour/tool-results', {
      tool_call_id: first?.approvalId,
      decision: 'deny',
      callHash: first?.callHash,
    });
    await vi.waitUntil(() => stream.frames.slice(before).some(({ data }) => data['worldId'] === 'harbour'));
    await t.api('DELETE', '/worlds/lab');
    await vi.waitUntil(() => worldsIn(stream).at(-1) === 'lab');
    expect(new Set(worldsIn(bobs))).toEqual(new Set(['lab']));
    // Messages that concern no call cause no event.
    const count = stream.frames.length;
    await t.say('hello');
    await t.propose(remove('last'));
    await vi.waitUntil(() => stream.frames.length > count);
    expect(JSON.stringify(stream.frames)).not.toMatch(/hello|path/);
  });

  it('[HTTP8.9] nothing of a world is sent to a person who lost it, and the stream ends', async () => {
    const t = await openHarbour();
    const propose = await addLab(t);
    const bob = await tokenOf(t, 'Bob', null, ['read'], { lab: 'viewer', harbour: 'viewer' });
    const stream = await follow(t, bob);
    // As another process would do it, which doesn't tell this one.
    await t.engine.runtime.store.transact('', async (tx) => {
      const person = (await tx.people()).find(({ id }) => id === 'bob');
      if (person !== undefined) await tx.updatePerson({ ...person, worldRoles: { harbour: 'viewer' } });
    });
    await propose('secret');
    expect(await stream.over).toBe(true);
    expect(stream.frames).toEqual([]);
    const again = await follow(t, bob);
    await t.propose(remove('one'));
    await again.until(() => true);
    expect(worldsIn(again)).toEqual(['harbour']);
    await t.api('PATCH', '/people/bob', { status: 'disabled' });
    expect(await again.over).toBe(true);
  });

  it('[HTTP8.9] has heartbeats, counts as a stream and ends with the server', async () => {
    const t = await openHarbour();
    const stream = await follow(t, as(TOKEN));
    t.clock.advance(15_000);
    await vi.waitUntil(() => stream.comments.length > 0);
    await t.engine.close();
    expect(await stream.over).toBe(true);
  });
});

describe('several decisions in one request', () => {
  const several = (t: Harbour, decisions: unknown[], headers = as(TOKEN)) =>
    ask<{ items: DecisionResult[] }>(t, 'POST', '/decisions', headers, { decisions });
  const waiting = async (t: Harbour): Promise<WaitingCall[]> =>
    (await t.api<{ items: WaitingCall[] }>('GET', '/approvals')).body.items;
  const on = ({ worldId, approvalId, callHash }: WaitingCall, decision = 'approve', more = {}) => ({
    ...{ worldId, tool_call_id: approvalId, decision, callHash },
    ...more,
  });

  it('[HTTP8.10] are judged and recorded one by one, and a refused one does not stop the others', async () => {
    const t = await openHarbour();
    const propose = await addLab(t);
    await t.propose(remove('a'), remove('b'), remove('c'));
    await propose('d');
    const [a, b, c, d] = (await waiting(t)) as [WaitingCall, WaitingCall, WaitingCall, WaitingCall];
    const unknown = { ...on(a), tool_call_id: 'approval_none' };
    const sent = [on(a), on(b, 'approve', { callHash: 'another' }), unknown, on(c, 'deny', { reason: 'no' }), on(d)];
    const { status, body } = await several(t, sent);
    expect(status).toBe(200);
    expect(body.items).toMatchObject([
      { worldId: 'harbour', tool_call_id: a.approvalId, status: 200, kind: 'recorded', state: 'approved' },
      { status: 409, detail: expect.stringContaining('Review it again') as string, state: 'asked' },
      { status: 404, tool_call_id: 'approval_none' },
      { status: 200, state: 'denied' },
      { worldId: 'lab', status: 200, state: 'approved' },
    ]);
    expect((await waiting(t)).map(({ approvalId }) => approvalId)).toEqual([b.approvalId]);
    // The same again changes nothing.
    expect((await several(t, [on(a)])).body.items).toMatchObject([{ status: 200, kind: 'repeated' }]);
    expect((await several(t, [on(b)])).body.items).toMatchObject([{ status: 200 }]);
    await t.settled();
    await t.engine.quiet();
    expect(t.runs).toEqual(expect.arrayContaining([{ path: 'a' }, { path: 'b' }, { path: 'd' }]));
    expect(t.runs).toHaveLength(3);
    const records = await t.engine.runtime.store.read((reader) => reader.audit('harbour', { after: 0, limit: 99 }));
    const decided = records.filter(({ kind }) => kind === 'decision');
    expect(decided.map(({ decision, scope }) => [decision, scope])).toEqual([
      ['approve', 'once'],
      ['deny', 'once'],
      ['approve', 'once'],
    ]);
  });

  it('[HTTP8.10] need the right to sign in each world, and no passkey', async () => {
    const t = await openHarbour();
    const propose = await addLab(t);
    const ada = await tokenOf(t, 'Ada', 'approver', ['read', 'sign']);
    await insertPasskey(t.engine.runtime.store, 'ada', createSoftPasskey());
    const etag = (await t.api('GET', '/worlds/harbour/policy')).headers.get('etag') ?? '';
    const rules = ['ask remove with passkey'];
    expect((await t.api('PUT', '/worlds/harbour/policy', { rules }, { 'If-Match': etag })).status).toBe(200);
    await t.propose(remove('a'));
    await propose('b', 'c');
    const [a, b, c] = (await waiting(t)) as [WaitingCall, WaitingCall, WaitingCall];
    const bob = await tokenOf(t, 'Bob', null, ['read', 'sign'], { lab: 'approver' });
    expect((await several(t, [on(a), on(b)], bob)).body.items).toMatchObject([
      { worldId: 'harbour', status: 404, detail: 'there is no world "harbour"' },
      { worldId: 'lab', status: 200 },
    ]);
    // A call of another world is as unknown as one that doesn't exist.
    expect((await several(t, [{ ...on(a), worldId: 'lab' }], bob)).body.items).toMatchObject([{ status: 404 }]);
    const eve = await tokenOf(t, 'Eve', 'viewer', ['read']);
    const [refused] = (await several(t, [on(c)], eve)).body.items;
    expect(refused).toMatchObject({ status: 403 });
    const log = await t.engine.runtime.store.read((reader) => reader.audit(SERVER_LOG, { after: 0, limit: 99 }));
    expect(log.some(({ kind, why }) => kind === 'refusal' && why?.includes('/api/decisions') === true)).toBe(true);
    const [unsigned] = (await several(t, [on(a)], ada)).body.items;
    expect(unsigned).toMatchObject({ status: 403, detail: expect.stringContaining('passkey') as string });
    expect((await waiting(t)).map(({ approvalId }) => approvalId)).toEqual([a.approvalId, c.approvalId]);
  });

  it('[HTTP8.10] [HTTP1] have no other scope, no arguments, and are at most 200', async () => {
    const t = await openHarbour();
    const one = { worldId: 'harbour', tool_call_id: 'x', decision: 'deny', callHash: 'y' };
    const bad = [
      [],
      Array.from({ length: 201 }, () => one),
      [{ ...one, scope: 'always' }],
      [{ ...one, arguments: {} }],
      [{ ...one, callHash: undefined }],
    ];
    for (const decisions of bad) expect((await several(t, decisions)).status).toBe(422);
  });
});
