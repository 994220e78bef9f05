import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScheduleRecord } from '@countersign/core/ports';
import type { CreatedToken, Message, Schedule } from '@countersign/protocol';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { closeApps, until } from '../testing/app-fixture.js';
import { openHarbour, type Harbour } from '../testing/harbour.js';
import { add, as, tokenOf } from '../testing/people.js';
import { ask, signInAs } from '../testing/sign-in.js';

type Headers = Record<string, string>;

afterEach(closeApps);

const PATH = '/worlds/harbour/schedules';
const DAY = 24 * 60 * 60_000;
const DAILY = { cron: '0 8 * * *', timeZone: 'UTC' };
const CALL = JSON.stringify([{ name: 'remove', arguments: { path: 'draft' } }]);

async function member(t: Harbour, name = 'Ann', role = 'member'): Promise<{ id: string; headers: Headers }> {
  const { id } = await add(t, name, role);
  return { id, headers: await signInAs(t, id) };
}

async function schedule(t: Harbour, headers: Headers, body: object = {}): Promise<Schedule> {
  const made = await ask<Schedule>(t, 'POST', PATH, headers, { chatId: t.chat, content: 'status?', ...DAILY, ...body });
  expect(made.status).toBe(201);
  return made.body;
}

const list = async (t: Harbour) => (await t.api<{ items: Schedule[] }>('GET', PATH)).body.items;
const change = (t: Harbour, { id }: Schedule, headers: Headers, body: object) =>
  ask<Schedule>(t, 'PATCH', `${PATH}/${id}`, headers, body);
async function sent(t: Harbour): Promise<Message[]> {
  const { items } = (await t.api<{ items: Message[] }>('GET', `/worlds/harbour/chats/${t.chat}/messages`)).body;
  return items.filter(({ sender }) => sender === 'schedule');
}

/** Lets timers that are due fire, until something can be seen. */
function fires<T>(t: Harbour, look: () => Promise<T | undefined>, what: string): Promise<T> {
  return until(async () => {
    t.clock.advance(0);
    return await look();
  }, what);
}
const sentBy = (t: Harbour, count: number) =>
  fires(t, async () => ((await sent(t)).length >= count ? await sent(t) : undefined), `${count} messages were sent`);
const shows = (t: Harbour, test: (first: Schedule) => boolean, what: string) =>
  fires(t, async () => (await list(t)).find(test), what);

/** Changes a stored schedule, as a process that died would have left it. */
const alter = (t: Harbour, id: string, how: Partial<ScheduleRecord>) =>
  t.engine.runtime.store.transact('harbour', async (tx) => {
    const found = await tx.schedule(id);
    if (found !== undefined) await tx.updateSchedule({ ...found, ...how });
  });

describe('a schedule', () => {
  it('[SCHED1] [SCHED1.3] sends in the name of its person, and the calls it leads to need approval', async () => {
    const t = await openHarbour();
    const ann = await member(t);
    const made = await schedule(t, ann.headers, { content: CALL });
    expect(made).toMatchObject({ by: { id: ann.id, name: 'Ann' }, state: 'active', dueAt: '2026-01-01T08:00:00.000Z' });
    t.clock.advance(8 * 60 * 60_000);
    const [message] = await sentBy(t, 1);
    expect(message).toMatchObject({ role: 'user', content: CALL, who: { kind: 'person', id: ann.id } });
    expect(await t.settled()).toBe('waiting');
    expect(t.runs).toEqual([]);
    const after = await shows(t, ({ lastAt }) => lastAt !== undefined, 'the next time is set');
    expect(after).toMatchObject({ lastMessageId: message?.messageId, dueAt: '2026-01-02T08:00:00.000Z' });
    const records = await t.engine.runtime.store.read((r) => r.audit('harbour', { after: 0, limit: 99 }));
    const requested = records.find(({ kind }) => kind === 'request');
    expect(requested).toMatchObject({ requester: { id: ann.id } });
    expect(records.find(({ decision }) => decision === 'schedule created')).toMatchObject({
      who: { id: ann.id },
      arguments: { person: ann.id, cron: '0 8 * * *', content: CALL },
    });
    expect(t.errors).toEqual([]);
  });

  it('[SCHED2.1] [SCHED4] after downtime, sends one message, then continues; a single one is sent late, and is gone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-schedules-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'store.db');
    const first = await openHarbour({ file });
    const ann = await member(first);
    await schedule(first, ann.headers);
    await schedule(first, ann.headers, { content: 'once', cron: undefined, at: '2026-01-02T00:00:00Z' });
    await first.close();
    const later = await openHarbour({ file, now: Date.parse('2026-01-09T12:00:00Z') });
    const t = { ...later, chat: first.chat };
    const messages = await sentBy(t, 2);
    expect(messages.map(({ content }) => content).toSorted()).toEqual(['once', 'status?']);
    await shows(t, ({ dueAt }) => dueAt === '2026-01-10T08:00:00.000Z', 'the next time is set');
    await fires(t, async () => ((await list(t)).length === 1 ? true : undefined), 'the single one is gone');
    t.clock.advance(60_000);
    expect(await sent(t)).toHaveLength(2);
  });

  it('[SCHED2] is sent once although the process died right after storing the message', async () => {
    const t = await openHarbour();
    const { headers } = await member(t);
    const made = await schedule(t, headers);
    const { runtime } = t.engine;
    const { probe } = runtime;
    runtime.probe = (moment) => {
      if (moment === 'after publish-message') throw new Error('killed');
    };
    t.clock.advance(8 * 60 * 60_000);
    await fires(t, async () => (t.errors.length > 0 ? true : undefined), 'the process died');
    runtime.probe = probe;
    const held = await runtime.store.read((r) => r.schedule(made.id));
    expect(held).toMatchObject({ leaseUntil: t.clock.now() + 30_000, dueAt: t.clock.now() });
    // [SCHED2.4] Until the lease has ended, nobody knows whether the message was sent.
    expect((await change(t, made, headers, { content: 'other' })).status).toBe(409);
    expect((await ask(t, 'DELETE', `${PATH}/${made.id}`, headers)).status).toBe(409);
    t.clock.advance(30_000);
    await shows(t, ({ lastAt }) => lastAt !== undefined, 'another look took over');
    expect(await sent(t)).toHaveLength(1);
  });

  it('[SCHED2.2] skips while nobody has answered its last message', async () => {
    const t = await openHarbour();
    const { headers } = await member(t);
    await schedule(t, headers, { content: CALL });
    t.clock.advance(8 * 60 * 60_000);
    await sentBy(t, 1);
    await shows(t, ({ lastAt }) => lastAt !== undefined, 'the message was sent');
    expect(await t.settled()).toBe('waiting');
    t.clock.advance(DAY);
    const skipped = await shows(t, ({ skippedAt }) => skippedAt !== undefined, 'it was skipped');
    expect(skipped.dueAt).toBe('2026-01-03T08:00:00.000Z');
    expect(await sent(t)).toHaveLength(1);
  });

  it('[SCHED2.3] waits until the OIDC provider has confirmed its person', async () => {
    const t = await openHarbour();
    const { store } = t.engine.runtime;
    const oidc = { issuer: 'https://id.example', subject: 'ann', groups: [], checkedAt: 1 };
    const person = { id: 'ann', name: 'Ann', email: null, role: 'member', worldRoles: {}, status: 'active' } as const;
    const base = { personId: 'ann', content: 'status?', times: DAILY, state: 'active', createdAt: 0, rev: 1 } as const;
    const due = { dueAt: t.clock.now(), lookAt: t.clock.now() };
    await store.transact('harbour', async (tx) => {
      await tx.insertPerson({ ...person, oidc, rev: 1, createdAt: 0 });
      await tx.insertSchedule({ id: 'schedule_1', worldId: 'harbour', chatId: t.chat, ...base, ...due });
    });
    t.clock.advance(15_000);
    const lookAt = async () => (await store.read((r) => r.schedule('schedule_1')))?.lookAt ?? 0;
    t.engine.runtime.confirmPeople = async () => undefined;
    const { headers } = await member(t, 'Bob');
    // Any change of a schedule makes the process look.
    await schedule(t, headers);
    await fires(t, async () => ((await lookAt()) > t.clock.now() ? true : undefined), 'it waits');
    expect(await sent(t)).toEqual([]);
    await store.transact('', async (tx) => {
      const found = await tx.person('ann');
      if (found !== undefined) await tx.updatePerson({ ...found, oidc: { ...oidc, checkedAt: t.clock.now() } });
    });
    t.clock.advance(5 * 60_000);
    expect(await sentBy(t, 1)).toHaveLength(1);
  });
});

describe('the rights of a schedule', () => {
  it('[SCHED1.1] end with those of its person, and only the person can resume it', async () => {
    const t = await openHarbour();
    const ann = await member(t);
    const made = await schedule(t, ann.headers);
    await t.api('PATCH', `/people/${ann.id}`, { role: 'viewer' });
    t.clock.advance(8 * 60 * 60_000);
    const stopped = await shows(t, ({ state }) => state === 'stopped', 'it stopped');
    expect(stopped).not.toHaveProperty('dueAt');
    expect((await change(t, made, ann.headers, { paused: false })).status).toBe(403);
    await t.api('PATCH', `/people/${ann.id}`, { role: 'member' });
    expect((await t.api('PATCH', `${PATH}/${made.id}`, { paused: false })).status).toBe(403);
    expect((await change(t, made, ann.headers, { paused: false })).body).toMatchObject({ state: 'active' });
    t.clock.advance(DAY);
    expect(await sentBy(t, 1)).toHaveLength(1);
    const records = await t.engine.runtime.store.read((r) => r.audit('harbour', { after: 0, limit: 99 }));
    expect(records.map(({ decision }) => decision)).toContain('schedule stopped');
  });

  it('[SCHED1.1] end with the limited token that it was made with', async () => {
    const t = await openHarbour();
    const { id, headers } = await member(t);
    const created = await t.api<CreatedToken>('POST', `/people/${id}/tokens`, { name: 'ci', scopes: ['read', 'chat'] });
    const token = as(created.body.token);
    const made = await schedule(t, token);
    const free = await schedule(t, headers, { content: 'mine' });
    // A stolen token must not leave its text in a schedule that outlives it.
    expect((await change(t, free, token, { content: 'changed' })).status).toBe(200);
    expect((await ask(t, 'DELETE', `/people/${id}/tokens/${created.body.id}`, headers)).status).toBe(204);
    t.clock.advance(8 * 60 * 60_000);
    const isStopped = async () => ((await list(t)).every(({ state }) => state === 'stopped') ? true : undefined);
    await fires(t, isStopped, 'both stopped');
    expect(await sent(t)).toEqual([]);
    expect((await change(t, made, headers, { paused: false })).body).toMatchObject({ state: 'active' });
  });

  it('[SCHED1.2] are its person’s: others can’t change it, admins can pause and delete it, a shared token makes none', async () => {
    const t = await openHarbour();
    const { headers } = await member(t);
    const made = await schedule(t, headers);
    const other = await tokenOf(t, 'Eve', 'member', ['read', 'chat']);
    for (const body of [{ paused: true }, { content: 'mine now' }, { timeZone: 'Asia/Tokyo' }])
      expect((await change(t, made, other, body)).status).toBe(403);
    expect((await ask(t, 'DELETE', `${PATH}/${made.id}`, other)).status).toBe(403);
    expect((await t.api('PATCH', `${PATH}/${made.id}`, { paused: true, content: 'mine now' })).status).toBe(403);
    const paused = await t.api<Schedule>('PATCH', `${PATH}/${made.id}`, { paused: true });
    expect(paused.body).toMatchObject({ state: 'paused', content: 'status?' });
    expect((await t.api('POST', PATH, { chatId: t.chat, content: 'x', ...DAILY })).status).toBe(403);
    expect((await t.api('DELETE', `${PATH}/${made.id}`)).status).toBe(204);
    expect(await list(t)).toEqual([]);
    expect((await ask(t, 'GET', PATH, as('none'))).status).toBe(401);
  });
});

describe('limits', () => {
  it('[SCHED3] [SCHED4] wrong fields, other chats and too many get one sentence', async () => {
    const t = await openHarbour();
    const { headers } = await member(t);
    const bodies = [
      { cron: '* * * * * *' },
      { cron: '@daily' },
      { cron: undefined, at: 'tomorrow' },
      { content: ' ' },
      { content: 'x'.repeat(20_001) },
      { chatId: 'other' },
      { timeZone: '../etc/passwd' },
    ];
    for (const body of bodies) {
      const refused = await ask(t, 'POST', PATH, headers, { chatId: t.chat, content: 'x', ...DAILY, ...body });
      expect([body, refused.status]).toEqual([body, 422]);
    }
    const made = await schedule(t, headers);
    for (const body of [{ cron: '0 8 30 2 *' }, { at: '2020-01-01T00:00:00Z' }])
      expect((await change(t, made, headers, body)).status).toBe(422);
    await t.engine.runtime.store.transact('harbour', async (tx) => {
      const found = await tx.schedule(made.id);
      if (found === undefined) throw new Error('it is gone');
      for (let count = 1; count < 50; count += 1) await tx.insertSchedule({ ...found, id: `schedule_${count}` });
    });
    expect((await ask(t, 'POST', PATH, headers, { chatId: t.chat, content: 'x', ...DAILY })).status).toBe(409);
    // [SCHED1.3] They end with their chat.
    await t.api('DELETE', `/worlds/harbour/chats/${t.chat}`);
    expect(await list(t)).toEqual([]);
  });

  it('[SCHED2.4] the message before a change is not sent, even by a process that was frozen', async () => {
    const t = await openHarbour();
    const { headers } = await member(t);
    const made = await schedule(t, headers);
    await alter(t, made.id, { leaseUntil: t.clock.now() + 30_000, lookAt: t.clock.now() + 30_000 });
    expect((await change(t, made, headers, { paused: true })).status).toBe(409);
    t.clock.advance(30_001);
    await shows(t, ({ lastAt }) => lastAt !== undefined, 'the lease ended, and it was sent');
    expect((await change(t, made, headers, { content: 'other' })).body).toMatchObject({ content: 'other' });
  });
});
