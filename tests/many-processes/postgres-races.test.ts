import {
  addAgent,
  createChat,
  createWorld,
  listApprovals,
  listGrants,
  decideCall,
  stopChat,
  type Engine,
} from '@countersign/core';
import { defineTool, type Store, type StoreReader, type Tool } from '@countersign/core/ports';
import { scripted } from '@countersign/core/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createMigratedDatabase } from '../support/postgres-database.js';
import { countingTool, nextEvent, openEngine, say, signer, stampingModel } from './engines-fixture.js';

/** Simulates stale reads before a step: someone else has changed the rows since. */
interface Stale {
  /** How often a read returns the call as it was before its approval was requested. */
  callReads: number;
}

function readingLate(): { stale: Stale; change: (store: Store) => Store } {
  const stale: Stale = { callReads: 0 };
  const late = (reader: StoreReader): StoreReader => ({
    ...reader,
    async invocation(id) {
      const call = await reader.invocation(id);
      if (call === undefined || stale.callReads === 0) return call;
      stale.callReads -= 1;
      return { ...call, status: 'approved', approvalId: null };
    },
  });
  const change = (store: Store): Store => ({ ...store, read: (work) => store.read((reader) => work(late(reader))) });
  return { stale, change };
}

/** Keeps the transaction busy, because PostgreSQL would end an idle one. */
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

describe('[STORE4.1] concurrent steps on PostgreSQL', () => {
  it('[CALL8] a decision is stored, however many stale reads of its call come first', async () => {
    const { stale, change } = readingLate();
    const url = await createMigratedDatabase();
    const runs = new Map<string, number>();
    const engine = await openEngine(url, [countingTool(runs)], stampingModel());
    const { worldId, chatId } = await prepare(engine);
    await askedFor(engine, worldId, chatId);
    // The process that requested approval finds the call in its chat; another one has to read it.
    const other = await openEngine(url, [countingTool(runs)], stampingModel(), change);
    const idle = nextEvent(engine, worldId, ({ event, data }) => event === 'world' && data.type === 'idle');
    const [approval] = await listApprovals(engine.runtime, worldId, { status: 'pending' });
    stale.callReads = 8;
    const decision = { tool_call_id: approval?.toolCallId ?? '', decision: 'approve' } as const;
    const outcome = await decideCall(other.runtime, worldId, undefined, decision, signer);
    expect(outcome).toMatchObject({ kind: 'recorded', state: 'approved' });
    expect(stale.callReads).toBe(0);
    await idle;
    expect([...runs.values()]).toEqual([1]);
  });

  it('[CALL7] approving a changed call approves nothing and creates no grant, while others continue its turn', async () => {
    const { stale, change } = readingLate();
    const url = await createMigratedDatabase();
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
    const engine = await openEngine(url, [tool], stampingModel());
    const { worldId, chatId } = await prepare(engine);
    const approvalId = await askedFor(engine, worldId, chatId);
    const other = await openEngine(url, [tool], stampingModel(), change);
    onDisk = 'something else';
    stale.callReads = 1;
    const decision = { tool_call_id: approvalId, decision: 'approve', scope: 'session' } as const;
    const outcome = await decideCall(other.runtime, worldId, undefined, decision, signer);
    expect(outcome).toMatchObject({ kind: 'refused', code: 'changed' });
    expect(stale.callReads).toBe(0);
    expect(await listGrants(engine.runtime, worldId)).toEqual([]);
    const pending = await listApprovals(engine.runtime, worldId, { status: 'pending' });
    expect(pending.map((approval) => approval.approvalId)).not.toContain(approvalId);
    expect(pending).toHaveLength(1);
  });

  it('[WORLD9] [WORLD11] with a concurrent stop, each message is stopped or answered, and no chat keeps working', async () => {
    const url = await createMigratedDatabase();
    const runs = new Map<string, number>();
    const [one, other] = await Promise.all([1, 2].map(() => openEngine(url, [countingTool(runs)], stampingModel())));
    if (one === undefined || other === undefined) throw new Error('two engines were opened');
    const { worldId, chatId } = await prepare(one);
    const { store } = one.runtime;
    const stopped = await askedFor(one, worldId, chatId);
    await say(one, worldId, chatId, 'letter_2');
    await Promise.all([
      stopChat(one.runtime, worldId, chatId, signer),
      say(other, worldId, chatId, 'letter_3'),
      stopChat(other.runtime, worldId, chatId, signer),
      say(one, worldId, chatId, 'letter_4'),
    ]);
    await expect.poll(async () => (await store.read((reader) => reader.chat(chatId)))?.status).not.toBe('working');
    const pending = await listApprovals(one.runtime, worldId, { status: 'pending' });
    const unfinished = await store.read((reader) => reader.unfinishedTurns(chatId));
    expect(pending.map(({ approvalId }) => approvalId)).not.toContain(stopped);
    // At most one turn is running, its approval is pending, and later ones are queued.
    expect(unfinished.filter(({ state }) => state === 'waiting')).toHaveLength(pending.length);
    expect(pending.length).toBe(unfinished.length > 0 ? 1 : 0);
    await stopChat(one.runtime, worldId, chatId, signer);
    expect(await store.read((reader) => reader.unfinishedTurns(chatId))).toEqual([]);
    expect(runs).toEqual(new Map());
  });

  it('[CALL16] a client that registers while a model’s view is being read stays registered', async () => {
    const url = await createMigratedDatabase();
    const tool = { name: 'ring', description: 'Rings.', parameters: { type: 'object' } };
    let register: (() => Promise<unknown>) | undefined;
    let isReading = false;
    const change = (store: Store): Store => ({
      ...store,
      read: (work) =>
        store.read(async (reader) => {
          let isFirst = true;
          // After the first read, which fixes PostgreSQL's snapshot.
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
