import { createChat, listMessages, decideCall, type Engine } from '@countersign/core';
import type { Store } from '@countersign/core/ports';
import { scripted } from '@countersign/core/testing';
import type { WorldEvent } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { createMigratedDatabase } from '../support/postgres-database.js';
import {
  countingTool,
  isStatus,
  nextEvent,
  openEngine,
  prepare,
  say,
  signer,
  stampingModel,
  approvalFor,
} from './engines-fixture.js';

const hang = (signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve('too late'), { once: true }));

/** An engine that can freeze: it then sends no heartbeats and accepts nothing, so the others count it as dead. */
async function openFreezable(
  url: string,
  frozen: string[],
  model: (freeze: () => Promise<void>) => ReturnType<typeof scripted>,
): Promise<Engine> {
  let freeze = (): Promise<void> => Promise.resolve();
  const freezable = (store: Store): Store => {
    const { shared } = store;
    if (shared === undefined) return store;
    let isFrozen = false;
    let self = '';
    freeze = async () => {
      isFrozen = true;
      await shared.retire(self);
      frozen.push(self);
    };
    const unlessFrozen = <T>(work: () => Promise<T>): Promise<T> =>
      isFrozen ? Promise.reject(new Error('frozen')) : work();
    return {
      ...store,
      shared: {
        ...shared,
        beat: (owner, silentMs) => unlessFrozen(() => shared.beat((self = owner), silentMs)),
        turnsToCheck: (owner, silentMs) => unlessFrozen(() => shared.turnsToCheck(owner, silentMs)),
        deliverWakes: (handle) => shared.deliverWakes((turnId) => unlessFrozen(() => handle(turnId))),
      },
    };
  };
  return await openEngine(
    url,
    [],
    model(() => freeze()),
    freezable,
  );
}

describe('[STORE4.1] a process without heartbeats', () => {
  it('[STORE4.1] a process that missed its heartbeats starts nothing', async () => {
    const url = await createMigratedDatabase();
    const [silentRuns, runs] = [new Map<string, number>(), new Map<string, number>()];
    let isMute = false;
    const muted = (store: Store): Store => {
      const { shared } = store;
      if (shared === undefined) return store;
      const beat = (owner: string, silentMs: number): Promise<boolean> =>
        isMute ? Promise.reject(new Error('the way is cut')) : shared.beat(owner, silentMs);
      return { ...store, shared: { ...shared, beat } };
    };
    const silent = await openEngine(url, [countingTool(silentRuns)], stampingModel(), muted);
    const other = await openEngine(url, [countingTool(runs)]);
    const scene = await prepare(other);
    const { worldId } = scene;
    const decision = await approvalFor('letter_1', scene, other, other);
    isMute = true;
    await expect.poll(() => silent.runtime.process.mayAct()).toBe(false);
    const idle = nextEvent(other, worldId, isStatus('idle'));
    await decideCall(silent.runtime, worldId, undefined, decision, signer);
    await idle;
    expect([silentRuns.size, [...runs.values()]]).toEqual([0, [1]]);
    isMute = false;
    await expect.poll(() => silent.runtime.process.mayAct()).toBe(true);
  });

  it('[STORE3.3] a turn that froze its process twice ends with an error, and no third process runs it', async () => {
    const url = await createMigratedDatabase();
    const frozen: string[] = [];
    const model = (freeze: () => Promise<void>) =>
      scripted(async ({ signal }) => {
        await freeze();
        return await hang(signal);
      });
    const openFreezing = () => openFreezable(url, frozen, model);
    const engines = [await openFreezing(), await openFreezing(), await openFreezing()];
    const watching = engines[2]?.runtime.bus;
    const scene = await prepare(engines[0] as Engine);
    const ended = new Promise<WorldEvent>((resolve) => {
      watching?.subscribe(scene.worldId, (event) => {
        if (event.event === 'world' && event.data.type === 'turn-ended') resolve(event);
      });
    });
    await say(engines[0] as Engine, scene.worldId, scene.chatId, 'letter_1');
    expect(await ended).toMatchObject({ data: { outcome: 'interrupted' } });
    expect(new Set(frozen).size).toBe(2);
    expect(frozen).toHaveLength(2);
  });

  it('[STORE3.4] a turn that keeps freezing its process is ended, and turns that ran next to it are answered', async () => {
    const url = await createMigratedDatabase();
    const frozen: string[] = [];
    let beside = 0;
    /** The bad letter freezes its process as soon as the good one runs there too, or immediately if it runs alone. */
    const model = (freeze: () => Promise<void>) => {
      let goodBegan = (): void => undefined;
      const good = new Promise<void>((resolve) => (goodBegan = resolve));
      return scripted(async ({ messages, signal }) => {
        if (String(messages.at(-1)?.content).includes('good')) {
          if (beside === 2) return 'Done.';
          beside += 1;
          goodBegan();
          return await hang(signal);
        }
        if (frozen.length < 2) await good;
        await freeze();
        return await hang(signal);
      });
    };
    const first = await openFreezable(url, frozen, model);
    const scene = await prepare(first);
    const { id: otherChat } = await createChat(first.runtime, scene.worldId);
    await say(first, scene.worldId, scene.chatId, 'bad');
    await say(first, scene.worldId, otherChat, 'good');
    for (const deaths of [1, 2, 3]) {
      await expect.poll(() => frozen.length).toBe(deaths);
      await openFreezable(url, frozen, model);
    }
    const statusOf = async (chatId: string) =>
      (await first.runtime.store.read((reader) => reader.chat(chatId)))?.status;
    await expect.poll(() => statusOf(scene.chatId)).toBe('idle');
    await expect.poll(() => statusOf(otherChat)).toBe('idle');
    const lastSaid = async (chatId: string) => (await listMessages(first.runtime, chatId)).at(-1)?.content;
    expect(await lastSaid(scene.chatId)).toContain('interrupted 3 times');
    expect(await lastSaid(otherChat)).toBe('Done.');
    expect(frozen).toHaveLength(3);
  });
});
