import {
  addAgent,
  createChat,
  createWorld,
  deleteWorld,
  listApprovals,
  publishMessage,
  removeAgent,
} from '@countersign/core';
import type { Store } from '@countersign/core/ports';
import { createFakeClock } from '@countersign/core/testing';
import { openSqlite } from '@countersign/storage';
import { describe, expect, it } from 'vitest';
import { deferred, gated, tool } from './testing/fixture.js';
import { createTestEngine, person } from './testing/test-engine.js';

/** A store that runs a callback between the reads before a step and the step. */
function interrupted(store: Store): { store: Store; meanwhile: (act: () => Promise<unknown>) => void } {
  let next: (() => Promise<unknown>) | undefined;
  const step: Store['step'] = async (...args) => {
    const act = next;
    next = undefined;
    await act?.();
    return await store.step(...args);
  };
  return { store: { ...store, step }, meanwhile: (act) => (next = act) };
}

async function setUp(tools: Parameters<typeof createTestEngine>[0]) {
  const clock = createFakeClock();
  const { store, meanwhile } = interrupted(await openSqlite(':memory:', { clock }));
  const engine = await createTestEngine({ store, clock, ...tools });
  await engine.start();
  const { runtime } = engine;
  const { id: worldId } = await createWorld(runtime, { name: 'Harbour' }, person);
  const { id: agentId } = await addAgent(
    runtime,
    worldId,
    { name: 'Ada', provider: 'scripted', model: 'm', tools: ['*'] },
    person,
  );
  const newChat = async () => (await createChat(runtime, worldId)).id;
  const say = (chatId: string, content: string) =>
    publishMessage(runtime, { worldId, chatId, content, speaker: 'human' });
  return { engine, runtime, worldId, agentId, newChat, say, meanwhile };
}

describe('between the reads before a step and the step', () => {
  it('[CALL17] [WORLD9] removing an agent leaves no approval behind in a chat where the agent just started', async () => {
    const t = await setUp({ tools: [gated('remove', async () => 'gone')] });
    const chatId = await t.newChat();
    t.meanwhile(async () => {
      await t.say(chatId, '[{"name":"remove"}]');
      await t.engine.quiet();
      expect(await listApprovals(t.runtime, t.worldId, { status: 'pending' })).toHaveLength(1);
    });
    await removeAgent(t.runtime, t.worldId, t.agentId, person);
    await t.engine.quiet();
    expect(await listApprovals(t.runtime, t.worldId, { status: 'pending' })).toEqual([]);
    expect(await t.runtime.store.read((reader) => reader.unfinishedTurns())).toEqual([]);
    expect(await t.runtime.store.read((reader) => reader.chat(chatId))).toMatchObject({ status: 'idle' });
    await t.engine.close();
  });

  it('[WORLD9] the end of a tool whose world was deleted is not retried forever', async () => {
    const slow = deferred<string>();
    const reported: string[] = [];
    const began = deferred();
    const t = await setUp({
      tools: [
        tool('slow', () => {
          began.resolve();
          return slow.promise;
        }),
      ],
      onError: (_, what) => reported.push(what),
    });
    // As if it ran in another process: the abort hint is lost.
    t.runtime.dispatch = { ...t.runtime.dispatch, abort: () => undefined };
    const chatId = await t.newChat();
    await t.say(chatId, '[{"name":"slow"}]');
    await began.promise;
    await deleteWorld(t.runtime, t.worldId, person);
    slow.resolve('late');
    await t.engine.quiet();
    expect(reported).toEqual([]);
    await t.engine.close();
  });
});
