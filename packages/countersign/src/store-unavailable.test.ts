import { addAgent, createChat, createWorld, listApprovals, listMessages, publishMessage } from '@countersign/core';
import { defineTool, type Store } from '@countersign/core/ports';
import { createFakeClock, scripted } from '@countersign/core/testing';
import { CountersignError } from '@countersign/protocol';
import { openSqlite } from '@countersign/storage';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createTestEngine, person } from './testing/test-engine.js';

/** A store that can be disconnected: then every step fails and nothing is written. */
function unpluggable(store: Store): { store: Store; plug: { away: boolean } } {
  const plug = { away: false };
  const fail = (): Promise<never> => Promise.reject(new CountersignError('store-unavailable', 'the disk is full'));
  const transact: Store['transact'] = (...args) => (plug.away ? fail() : store.transact(...args));
  const step: Store['step'] = (...args) => (plug.away ? fail() : store.step(...args));
  return { store: { ...store, transact, step }, plug };
}

async function setUp(execute: (plug: { away: boolean }) => string, deadline?: { approvalTimeoutMs: number }) {
  const clock = createFakeClock();
  const { store, plug } = unpluggable(await openSqlite(':memory:', { clock }));
  const ran: string[] = [];
  const reported: string[] = [];
  const tool = defineTool({
    name: 'work',
    description: 'works',
    parameters: z.object({}),
    ...(deadline === undefined ? {} : { approval: { required: true } }),
    execute: () => {
      ran.push('work');
      return execute(plug);
    },
  });
  let tell = (): void => undefined;
  const told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  let asked = 0;
  const engine = await createTestEngine({
    store,
    clock,
    providers: [
      scripted(({ messages }) => {
        if (messages.at(-1)?.role === 'tool') return 'done';
        if (messages.at(-1)?.content !== 'unplug') return { calls: [{ name: 'work' }] };
        asked += 1;
        plug.away = asked === 1;
        return `answer ${asked}`;
      }),
    ],
    tools: [tool],
    onError: (error, what) => {
      reported.push(`${what}: ${String(error)}`);
      tell();
    },
  });
  await engine.start();
  const world = await createWorld(engine.runtime, { name: 'Harbour', ...deadline }, person);
  await addAgent(engine.runtime, world.id, { name: 'Mason', provider: 'scripted', model: 'm', tools: ['*'] }, person);
  const chat = await createChat(engine.runtime, world.id);
  const send = (content: string) =>
    publishMessage(engine.runtime, { worldId: world.id, chatId: chat.id, content, speaker: 'human' });
  return { engine, plug, clock, ran, reported, told, world, chat, send };
}

describe('a store that is temporarily unavailable', () => {
  it('stores the result of a tool that ran in the meantime, and the tool runs once', async () => {
    const lab = await setUp((plug) => {
      plug.away = true;
      return 'made';
    });
    await lab.send('go');
    await lab.told;
    expect(lab.reported[0]).toContain('failed to write the result of work');
    lab.plug.away = false;
    lab.clock.advance(60_000);
    await lab.engine.quiet();
    const messages = await listMessages(lab.engine.runtime, lab.chat.id);
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'go'],
      ['assistant', ''],
      ['tool', '{"result":"made"}'],
      ['assistant', 'done'],
    ]);
    expect(lab.ran).toEqual(['work']);
    await lab.engine.close();
  });

  it('a turn that could be neither stored nor ended continues later', async () => {
    const lab = await setUp(() => 'made');
    await lab.send('unplug');
    await lab.told;
    await lab.engine.quiet();
    expect(lab.reported).toHaveLength(2);
    lab.plug.away = false;
    lab.clock.advance(60_000);
    await lab.engine.quiet();
    const messages = await listMessages(lab.engine.runtime, lab.chat.id);
    expect(messages.map(({ content }) => content)).toEqual(['unplug', 'answer 2']);
    await lab.engine.close();
  });

  it('[CALL11.1] a deadline that passes in the meantime applies once the store is back', async () => {
    const lab = await setUp(() => 'made', { approvalTimeoutMs: 60_000 });
    await lab.send('go');
    await lab.engine.quiet();
    lab.plug.away = true;
    lab.clock.advance(60_000);
    await lab.told;
    expect(lab.reported[0]).toContain('failed to expire an approval');
    await lab.engine.quiet();
    lab.plug.away = false;
    lab.clock.advance(60_000);
    const pending = () => listApprovals(lab.engine.runtime, lab.world.id, { status: 'pending' });
    await expect.poll(pending).toEqual([]);
    await lab.engine.quiet();
    expect((await listMessages(lab.engine.runtime, lab.chat.id)).at(-1)).toMatchObject({ content: 'done' });
    expect(lab.ran).toEqual([]);
    await lab.engine.close();
  });
});
