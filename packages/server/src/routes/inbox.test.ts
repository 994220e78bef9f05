import type { WaitingCall } from '@countersign/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { closeApps, TOKEN } from '../testing/app-fixture.js';
import { openHarbour, type Harbour } from '../testing/harbour.js';
import { openStream, type OpenStream } from '../testing/open-stream.js';
import { as, tokenOf } from '../testing/people.js';
import { ask } from '../testing/sign-in.js';

afterEach(closeApps);

const remove = (path: string) => ({ name: 'remove', arguments: { path } });

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
