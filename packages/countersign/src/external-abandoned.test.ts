import { awaitExternal, showApproval } from '@countersign/core';
import { createFakeClock } from '@countersign/core/testing';
import { describe, expect, it } from 'vitest';
import { asked, externalWorlds, W } from './testing/external-worlds.js';
import { freshFolder } from './testing/fresh-folder.js';

// Registered first, so that the folder is removed after its engines are closed.
const inFolder = freshFolder();
const { open, close } = externalWorlds();

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const DEFERRED = { where: 'program', reports: true, waits: 'days' } as const;

type Opened = Awaited<ReturnType<typeof open>>;

/** Asks about a call, like a hook that is killed after its first request. */
async function ask({ runtime }: Opened, id: string): Promise<string> {
  const { signal } = new AbortController();
  return (await awaitExternal(runtime, asked(id), { waitMs: 0, signal })).state;
}

describe('a program that stops asking', () => {
  it('[EXT1.9] its call is shown as abandoned after a minute, until the program asks again', async () => {
    const t = await open();
    const { id } = await t.propose();
    await ask(t, id);
    t.clock.advance(MINUTE - 1);
    expect(await t.pending()).not.toMatchObject([{ abandoned: true }]);
    t.clock.advance(1);
    const [card] = await t.pending();
    expect(card).toMatchObject({ abandoned: true });
    expect(await showApproval(t.runtime, W, card?.approvalId ?? '')).toMatchObject({ abandoned: true });
    expect(await ask(t, id)).toBe('pending');
    expect(await t.pending()).not.toMatchObject([{ abandoned: true }]);
    expect(await t.approve()).toMatchObject({ kind: 'recorded' });
    expect(await ask(t, id)).toBe('allowed');
  });

  it('[EXT1.6] [EXT1.9] another agent that asks about the call changes nothing', async () => {
    const t = await open();
    const { id } = await t.propose();
    await ask(t, id);
    t.clock.advance(MINUTE);
    const { signal } = new AbortController();
    const asking = awaitExternal(t.runtime, asked(id, { agentId: 'gemini' }), { waitMs: 0, signal });
    await expect(asking).rejects.toMatchObject({ code: 'not-found' });
    expect(await t.pending()).toMatchObject([{ abandoned: true }]);
  });

  it('[EXT1.9] a program that keeps asking still waits', async () => {
    const t = await open();
    const { id } = await t.propose();
    const over = new AbortController();
    const waiting = awaitExternal(t.runtime, asked(id), { waitMs: DAY, signal: over.signal });
    await expect.poll(() => t.runtime.background.external.isAbandoned(id)).toBe(false);
    t.clock.advance(10 * MINUTE);
    expect(await t.pending()).not.toMatchObject([{ abandoned: true }]);
    await t.approve();
    expect(await waiting).toMatchObject({ state: 'allowed' });
  });

  it('[EXT1.10] approving an abandoned call ends it as not claimed, and nothing runs', async () => {
    const t = await open();
    const { id, chatId } = await t.propose();
    await ask(t, id);
    t.clock.advance(MINUTE);
    expect(await t.approve()).toMatchObject({ kind: 'recorded', state: 'approved' });
    await expect
      .poll(() => t.events.at(-1))
      .toMatchObject({
        type: 'TOOL_EXECUTION_FAILED',
        outcome: 'not-claimed',
      });
    expect(await t.call(id)).toMatchObject({ status: 'failed', startedAt: null, outcomeUnknown: false });
    expect(await t.claim(id)).toEqual({
      state: 'denied',
      reason: 'The program no longer waited for this call, so nothing ran.',
    });
    const [last] = await t.runtime.store.read((reader) => reader.lastAudit(W, { limit: 1 }));
    expect(last).toMatchObject({ kind: 'outcome', decision: 'not claimed' });
    const chat = await t.runtime.store.read((reader) => reader.chat(chatId));
    expect(chat?.status).toBe('idle');
  });

  it('[EXT1.10] an approved call that nobody claims ends after a minute, also after a restart', async () => {
    const file = inFolder('world.db');
    const clock = createFakeClock();
    const before = await open({}, file, clock);
    const { id } = await before.propose();
    const left = await before.propose({ key: 'left' });
    await before.decide((await before.pending())[0]);
    await close(before);
    clock.advance(DAY);
    const t = await open({}, file, clock);
    expect((await t.call(id))?.status).toBe('approved');
    expect(await t.pending()).not.toMatchObject([{ abandoned: true }]);
    clock.advance(MINUTE - 1);
    await t.engine.quiet();
    expect((await t.call(id))?.status).toBe('approved');
    clock.advance(1);
    await expect.poll(async () => (await t.call(id))?.status).toBe('failed');
    expect(await t.pending()).toMatchObject([{ toolCallId: left.id, abandoned: true }]);
  });

  it('[EXT1.10] a deferred call waits for days, also after it was approved', async () => {
    const file = inFolder('world.db');
    const clock = createFakeClock();
    const before = await open({}, file, clock);
    const { id } = await before.propose({ runs: DEFERRED });
    const other = await before.propose({ key: 'other', runs: DEFERRED });
    await ask(before, id);
    clock.advance(DAY);
    const waiting = await before.pending();
    expect(waiting.map(({ abandoned, deferred }) => [abandoned, deferred])).toEqual([
      [undefined, true],
      [undefined, true],
    ]);
    for (const approval of waiting) await before.decide(approval);
    await close(before);
    const t = await open({}, file, clock);
    clock.advance(5 * DAY);
    await t.engine.quiet();
    expect(await ask(t, (await t.propose({ runs: DEFERRED })).id)).toBe('allowed');
    clock.advance(2 * DAY);
    await expect.poll(async () => (await t.call(other.id))?.status).toBe('failed');
  });
});
