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
import { defineTool, type Store, type StoreTransaction, type Tool } from '@countersign/core/ports';
import { scripted } from '@countersign/core/testing';
import { openPostgres } from '@countersign/storage';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createPostgresDatabase } from '../support/postgres-database.js';
import { countingTool, nextEvent, openEngine, say, signer, stampingModel } from './engines-fixture.js';

/** Steps of others that come between two statements of a step, at a place that a test has chosen. */
interface Meeting {
  url: string;
  /** So many steps of another process bring a turn further, each right after this one has read it. */
  turnSteps: number;
  /** Happens once, right after a step has read which turns are unfinished. */
  afterUnfinished: (() => Promise<void>) | undefined;
}

async function another(url: string): Promise<Store> {
  const store = await openPostgres(url);
  onTestFinished(() => store.close());
  return store;
}

async function meeting(): Promise<{ meeting: Meeting; change: (store: Store) => Store }> {
  const url = await createPostgresDatabase();
  const found: Meeting = { url, turnSteps: 0, afterUnfinished: undefined };
  const other = await another(url);
  const interrupted = (tx: StoreTransaction): StoreTransaction => ({
    ...tx,
    async turn(id) {
      const turn = await tx.turn(id);
      if (turn === undefined || found.turnSteps === 0) return turn;
      found.turnSteps -= 1;
      const { value } = await other.transact(turn.worldId, (step) => step.stepTurn(turn, {}));
      expect(value).toBe(true);
      return turn;
    },
    async unfinishedTurns(chatId) {
      const turns = await tx.unfinishedTurns(chatId);
      const happen = found.afterUnfinished;
      found.afterUnfinished = undefined;
      await happen?.();
      return turns;
    },
  });
  const change = (store: Store): Store => ({
    ...store,
    transact: (worldId, work) => store.transact(worldId, (tx) => work(interrupted(tx))),
  });
  return { meeting: found, change };
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
    const { meeting: others, change } = await meeting();
    const runs = new Map<string, number>();
    const engine = await openEngine(others.url, [countingTool(runs)], stampingModel(), change);
    const { worldId, chatId } = await prepare(engine);
    const approvalId = await askedFor(engine, worldId, chatId);
    const idle = nextEvent(engine, worldId, ({ event, data }) => event === 'world' && data.type === 'idle');
    others.turnSteps = 60;
    const decision = { tool_call_id: approvalId, decision: 'approve' } as const;
    const outcome = await publishToolResult(engine.runtime, worldId, undefined, decision, signer);
    expect(outcome).toMatchObject({ kind: 'recorded', state: 'approved' });
    await idle;
    expect([...runs.values()]).toEqual([1]);
  });

  it('[A7] a yes to a call that has changed signs nothing, not even a grant, while others bring its turn further', async () => {
    const { meeting: others, change } = await meeting();
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
    const engine = await openEngine(others.url, [tool], stampingModel(), change);
    const { worldId, chatId } = await prepare(engine);
    const approvalId = await askedFor(engine, worldId, chatId);
    onDisk = 'something else';
    others.turnSteps = 1;
    const decision = { tool_call_id: approvalId, decision: 'approve', scope: 'session' } as const;
    const outcome = await publishToolResult(engine.runtime, worldId, undefined, decision, signer);
    expect(outcome).toMatchObject({ kind: 'refused', code: 'changed' });
    expect(await listGrants(engine.runtime, worldId)).toEqual([]);
    const pending = await listApprovals(engine.runtime, worldId, { status: 'pending' });
    expect(pending.map((approval) => approval.approvalId)).not.toContain(approvalId);
    expect(pending).toHaveLength(1);
  });

  it.each([1, 2])('[M9] a stop ends what its turn has come to meanwhile (%i calls after another)', async (calls) => {
    const { meeting: others, change } = await meeting();
    const runs = new Map<string, number>();
    const model = scripted(({ messages }) => {
      const given = messages.filter(({ role }) => role === 'tool').length;
      return given === calls
        ? 'Done.'
        : { say: 'A stamp.', calls: [{ name: 'stamp', arguments: { key: `${given}` } }] };
    });
    const engine = await openEngine(others.url, [countingTool(runs)], model, change);
    const { runtime } = engine;
    const { worldId, chatId } = await prepare(engine);
    const approvalId = await askedFor(engine, worldId, chatId);
    const unfinished = () => runtime.store.read((reader) => reader.unfinishedTurns(chatId));
    const pending = async () =>
      (await listApprovals(runtime, worldId, { status: 'pending' })).map((one) => one.approvalId);
    const [turn] = await unfinished();
    others.afterUnfinished = async () => {
      const decision = { tool_call_id: approvalId, decision: 'approve' } as const;
      await publishToolResult(runtime, worldId, undefined, decision, signer);
      if (calls === 1) await expect.poll(unfinished).toEqual([]);
      else await expect.poll(async () => (await pending()).filter((id) => id !== approvalId)).toHaveLength(1);
    };
    await stopChat(runtime, worldId, chatId, signer);
    expect(others.afterUnfinished).toBeUndefined();
    expect(await pending()).toEqual([]);
    // One that had answered by then has answered.
    const ended = await runtime.store.read((reader) => reader.turn(turn?.id ?? ''));
    expect(ended).toMatchObject({ state: 'ended', outcome: calls === 1 ? 'answered' : 'stopped' });
    expect(runs).toEqual(new Map([['0', 1]]));
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
            await begin();
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
