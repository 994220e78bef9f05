import {
  addAgent,
  createChat,
  createWorld,
  listApprovals,
  listGrants,
  publishToolResult,
  stopChat,
  type Engine,
} from '@countersign/core';
import { defineTool, type Store, type StoreTransaction, type Tool, type TurnRecord } from '@countersign/core/ports';
import { scripted } from '@countersign/core/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createPostgresDatabase } from '../support/postgres-database.js';
import { countingTool, nextEvent, openEngine, say, signer, stampingModel } from './engines-fixture.js';

/**
 * What a step finds that reads just before somebody else's is kept: it is told how things stood before. (Really to wait for the other in
 * the middle of a step would be up to the machine: PostgreSQL ends a transaction that idles.)
 */
interface Stale {
  /** So many times a turn is read as it stood one step earlier. */
  turnReads: number;
  /** Once, these are the unfinished turns. */
  unfinished: TurnRecord[] | undefined;
  /** Which turns were fenced off, in order. */
  fenced: string[];
}

function readingLate(): { stale: Stale; change: (store: Store) => Store } {
  const stale: Stale = { turnReads: 0, unfinished: undefined, fenced: [] };
  const late = (tx: StoreTransaction): StoreTransaction => ({
    ...tx,
    async turn(id) {
      const turn = await tx.turn(id);
      if (turn === undefined || stale.turnReads === 0) return turn;
      stale.turnReads -= 1;
      return { ...turn, rev: turn.rev - 1 };
    },
    async unfinishedTurns(chatId) {
      const before = stale.unfinished;
      stale.unfinished = undefined;
      return before ?? (await tx.unfinishedTurns(chatId));
    },
    async fenceTurn(id, turnChange) {
      stale.fenced.push(id);
      return await tx.fenceTurn(id, turnChange);
    },
  });
  const change = (store: Store): Store => ({
    ...store,
    transact: (worldId, work) => store.transact(worldId, (tx) => work(late(tx))),
  });
  return { stale, change };
}

/** PostgreSQL would end a transaction that idles. */
async function whileAsking(work: Promise<unknown>, ask: () => Promise<unknown>): Promise<void> {
  const state = { isOver: false };
  const over = work.finally(() => {
    state.isOver = true;
  });
  while (!state.isOver) await ask();
  await over;
}

async function prepare(engine: Engine): Promise<{ worldId: string; chatId: string }> {
  const { id: worldId } = await createWorld(engine.runtime, { name: 'Post office' }, signer);
  await addAgent(engine.runtime, worldId, { name: 'Clerk', provider: 'scripted', model: 'm', tools: ['*'] }, signer);
  const { id: chatId } = await createChat(engine.runtime, worldId);
  return { worldId, chatId };
}

async function askedFor(engine: Engine, worldId: string, chatId: string): Promise<string> {
  const waiting = nextEvent(engine, worldId, ({ event, data }) => event === 'world' && data.type === 'waiting');
  await say(engine, worldId, chatId, 'letter_1');
  await waiting;
  const [approval] = await listApprovals(engine.runtime, worldId, { status: 'pending' });
  return approval?.approvalId ?? '';
}

describe('[S4] steps that meet on PostgreSQL', () => {
  it('[A8] a decision is kept, however often others bring its turn further meanwhile', async () => {
    const { stale, change } = readingLate();
    const url = await createPostgresDatabase();
    const runs = new Map<string, number>();
    const engine = await openEngine(url, [countingTool(runs)], stampingModel(), change);
    const { worldId, chatId } = await prepare(engine);
    const approvalId = await askedFor(engine, worldId, chatId);
    const idle = nextEvent(engine, worldId, ({ event, data }) => event === 'world' && data.type === 'idle');
    stale.turnReads = 60;
    const decision = { tool_call_id: approvalId, decision: 'approve' } as const;
    const outcome = await publishToolResult(engine.runtime, worldId, undefined, decision, signer);
    expect(outcome).toMatchObject({ kind: 'recorded', state: 'approved' });
    expect(stale.turnReads).toBe(0);
    await idle;
    expect([...runs.values()]).toEqual([1]);
  });

  it('[A7] a yes to a call that has changed signs nothing, not even a grant, while others bring its turn further', async () => {
    const { stale, change } = readingLate();
    const url = await createPostgresDatabase();
    let onDisk = 'before';
    const tool: Tool = {
      ...defineTool({
        name: 'stamp',
        description: 'Stamps a letter.',
        parameters: z.object({ key: z.string() }),
        approval: { required: true },
        execute: () => 'stamped',
      }),
      fingerprint: () => Promise.resolve(onDisk),
    };
    const engine = await openEngine(url, [tool], stampingModel(), change);
    const { worldId, chatId } = await prepare(engine);
    const approvalId = await askedFor(engine, worldId, chatId);
    onDisk = 'something else';
    stale.turnReads = 1;
    const decision = { tool_call_id: approvalId, decision: 'approve', scope: 'session' } as const;
    const outcome = await publishToolResult(engine.runtime, worldId, undefined, decision, signer);
    expect(outcome).toMatchObject({ kind: 'refused', code: 'changed' });
    expect(await listGrants(engine.runtime, worldId)).toEqual([]);
    const pending = await listApprovals(engine.runtime, worldId, { status: 'pending' });
    expect(pending.map((approval) => approval.approvalId)).not.toContain(approvalId);
    expect(pending).toHaveLength(1);
  });

  it.each([1, 2])('[M9] a stop ends what its turn has come to meanwhile (%i calls after another)', async (calls) => {
    const { stale, change } = readingLate();
    const url = await createPostgresDatabase();
    const runs = new Map<string, number>();
    const model = scripted(({ messages }) => {
      const given = messages.filter(({ role }) => role === 'tool').length;
      return given === calls
        ? 'Done.'
        : { say: 'A stamp.', calls: [{ name: 'stamp', arguments: { key: `${given}` } }] };
    });
    const engine = await openEngine(url, [countingTool(runs)], model, change);
    const { runtime } = engine;
    const { worldId, chatId } = await prepare(engine);
    const approvalId = await askedFor(engine, worldId, chatId);
    const unfinished = () => runtime.store.read((reader) => reader.unfinishedTurns(chatId));
    const pending = async () =>
      (await listApprovals(runtime, worldId, { status: 'pending' })).map((one) => one.approvalId);
    const before = await unfinished();
    const decision = { tool_call_id: approvalId, decision: 'approve' } as const;
    await publishToolResult(runtime, worldId, undefined, decision, signer);
    await expect.poll(async () => (await pending()).filter((id) => id !== approvalId)).toHaveLength(calls - 1);
    await expect
      .poll(async () => (await runtime.store.read((reader) => reader.chat(chatId)))?.status)
      .not.toBe('working');
    stale.unfinished = before;
    await stopChat(runtime, worldId, chatId, signer);
    expect(stale.unfinished).toBeUndefined();
    expect(await pending()).toEqual([]);
    // One that had answered by then has answered.
    const ended = await runtime.store.read((reader) => reader.turn(before[0]?.id ?? ''));
    expect(ended).toMatchObject({ state: 'ended', outcome: calls === 1 ? 'answered' : 'stopped' });
    expect(runs).toEqual(new Map([['0', 1]]));
  });

  it('[M9] [M11] a message that comes while a chat is stopped is answered, though it waits behind what is stopped', async () => {
    const { stale, change } = readingLate();
    const url = await createPostgresDatabase();
    const engine = await openEngine(url, [countingTool(new Map())], stampingModel(), change);
    const { worldId, chatId } = await prepare(engine);
    const stopped = await askedFor(engine, worldId, chatId);
    const unfinished = () => engine.runtime.store.read((reader) => reader.unfinishedTurns(chatId));
    await say(engine, worldId, chatId, 'letter_2');
    const before = await unfinished();
    await say(engine, worldId, chatId, 'letter_3');
    await say(engine, worldId, chatId, 'letter_4');
    stale.unfinished = before;
    await stopChat(engine.runtime, worldId, chatId, signer);
    const pending = async () =>
      (await listApprovals(engine.runtime, worldId, { status: 'pending' })).map((one) => one.approvalId);
    await expect.poll(pending).toEqual([expect.not.stringMatching(stopped)]);
    expect((await unfinished()).map(({ state }) => state)).toEqual(['waiting', 'queued']);
  });

  it('[M9] a stop takes the turn that runs before those behind it, as its end does: each would wait for the other', async () => {
    const { stale, change } = readingLate();
    const url = await createPostgresDatabase();
    const engine = await openEngine(url, [countingTool(new Map())], stampingModel(), change);
    const { worldId, chatId } = await prepare(engine);
    await askedFor(engine, worldId, chatId);
    await say(engine, worldId, chatId, 'letter_2');
    const turns = await engine.runtime.store.read((reader) => reader.unfinishedTurns(chatId));
    // As when the second message was begun first.
    stale.unfinished = turns.toReversed();
    await stopChat(engine.runtime, worldId, chatId, signer);
    expect(stale.fenced).toEqual(turns.map(({ id }) => id));
    expect(turns.map(({ state }) => state)).toEqual(['waiting', 'queued']);
  });

  it('[A18] a client that registers while a model’s view is read stays', async () => {
    const url = await createPostgresDatabase();
    const tool = { name: 'ring', description: 'Rings.', parameters: { type: 'object' } };
    let register: (() => Promise<unknown>) | undefined;
    let isReading = false;
    const change = (store: Store): Store => ({
      ...store,
      read: (work) =>
        store.read(async (reader) => {
          let isFirst = true;
          // After the first thing that is read, which is where PostgreSQL fixes what the others will see.
          const first = async <T>(isView: boolean, found: Promise<T>): Promise<T> => {
            const value = await found;
            const begin = isFirst && isView ? register : undefined;
            isFirst = false;
            if (begin === undefined) return value;
            register = undefined;
            await whileAsking(begin(), () => reader.worldRev(''));
            isReading = true;
            return value;
          };
          return await work({
            ...reader,
            turn: (id) => first(false, reader.turn(id)),
            worldRev: (id) => first(true, reader.worldRev(id)),
            clients: (id) => first(true, reader.clients(id)),
          });
        }),
    });
    let offered: string[] | undefined;
    const model = scripted(() => {
      offered ??= [...engine.clients.tools(worldId).keys()];
      return 'Hello.';
    });
    const engine = await openEngine(url, [], model, change);
    const { worldId, chatId } = await prepare(engine);
    register = () => engine.clients.register(worldId, { label: 'Bell', approvals: false, tools: [tool] });
    const idle = nextEvent(engine, worldId, ({ event, data }) => event === 'world' && data.type === 'idle');
    await say(engine, worldId, chatId, 'Hello');
    await idle;
    expect(isReading).toBe(true);
    expect(offered).toHaveLength(1);
  });
});
