import {
  addAgent,
  createChat,
  listMessages,
  publishMessage,
  decideCall,
  stopChat,
  type Engine,
} from '@countersign/core';
import { defineTool } from '@countersign/core/ports';
import { scripted } from '@countersign/core/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createMigratedDatabase } from '../support/postgres-database.js';
import { scaled } from '../support/scaled.js';
import { countingTool, isStatus, nextEvent, openEngine, prepare, say, signer, approvalFor } from './engines-fixture.js';

const ROUNDS = scaled(10, 2);

describe('[STORE4.1] messages and events on one PostgreSQL', () => {
  it('[WORLD14] a model sees messages sent through another process', async () => {
    const url = await createMigratedDatabase();
    const shown: string[] = [];
    const model = scripted(({ messages }) => {
      shown.push(messages.flatMap(({ role, content }) => (role === 'user' ? [content] : [])).join());
      return 'Noted.';
    });
    const [a, b] = [await openEngine(url, [], model), await openEngine(url, [], model)];
    const { worldId, chatId } = await prepare(a);
    for (const [index, engine] of [a, a, b, a, b].entries()) {
      const idle = nextEvent(a, worldId, isStatus('idle'));
      await say(engine, worldId, chatId, `letter_${index}`);
      await idle;
    }
    expect(shown.at(-1)).toBe('letter_0,letter_1,letter_2,letter_3,letter_4');
    expect(shown.at(-2)).toBe('letter_0,letter_1,letter_2,letter_3');
  });

  it('[HTTP2] a message that arrives several times concurrently is stored once, and each sender gets its id', async () => {
    const url = await createMigratedDatabase();
    const engines = await Promise.all([1, 2, 3].map(() => openEngine(url, [])));
    const [a] = engines as [Engine];
    const { worldId, chatId } = await prepare(a);
    for (let round = 1; round <= ROUNDS; round += 1) {
      const content = `@human ${round}`;
      const message = { worldId, chatId, content, speaker: 'human', clientMessageId: content } as const;
      const kept = await Promise.all([...engines, ...engines].map(({ runtime }) => publishMessage(runtime, message)));
      expect(new Set(kept.map(({ messageId }) => messageId)).size).toBe(1);
    }
    expect((await listMessages(a.runtime, chatId)).filter(({ role }) => role === 'user')).toHaveLength(ROUNDS);
  });

  it('[TURN5] [STORE3] calls that end at the same time each keep their result', async () => {
    const url = await createMigratedDatabase();
    const keys = ['a', 'b', 'c', 'd'];
    const model = scripted((request) =>
      request.messages.at(-1)?.role === 'tool'
        ? 'Done.'
        : { say: 'At once.', calls: keys.map((key) => ({ name: 'look', arguments: { key } })) },
    );
    let arrived: (() => void)[] = [];
    const together = (): Promise<void> =>
      new Promise((resolve) => {
        arrived.push(resolve);
        if (arrived.length < keys.length) return;
        for (const go of arrived) go();
        arrived = [];
      });
    const look = defineTool({
      name: 'look',
      description: 'Looks at a letter.',
      parameters: z.object({ key: z.string() }),
      readOnly: true,
      async execute({ key }) {
        await together();
        return `seen ${key}`;
      },
    });
    const engine = await openEngine(url, [look], model);
    const { worldId, chatId } = await prepare(engine);
    for (let round = 1; round <= ROUNDS; round += 1) {
      const idle = nextEvent(engine, worldId, isStatus('idle'));
      await say(engine, worldId, chatId, `round ${round}`);
      await idle;
    }
    const results = (await listMessages(engine.runtime, chatId)).filter(({ role }) => role === 'tool');
    expect(results).toHaveLength(4 * ROUNDS);
    expect(results.filter(({ content }) => !content.includes('seen'))).toEqual([]);
  });

  it('[WORLD8] a chat whose turns end together is idle', async () => {
    const url = await createMigratedDatabase();
    const engine = await openEngine(
      url,
      [],
      scripted(() => '<world>PASS</world>'),
    );
    const { worldId, chatId } = await prepare(engine);
    const names = ['Ann', 'Ben', 'Cid'];
    for (const name of names)
      await addAgent(engine.runtime, worldId, { name, provider: 'scripted', model: 'm', tools: [] }, signer);
    for (let round = 1; round <= scaled(20, 3); round += 1) {
      await say(engine, worldId, chatId, '@Ann @Ben @Cid');
      await expect
        .poll(async () => (await engine.runtime.store.read((reader) => reader.chat(chatId)))?.status)
        .toBe('idle');
    }
  });

  it('[STORE6] each process receives every event of the world, in order, from every process', async () => {
    const url = await createMigratedDatabase();
    const engines = await Promise.all([1, 2, 3].map(() => openEngine(url, [])));
    const [a] = engines as [Engine];
    const { worldId } = await prepare(a);
    const chats = await Promise.all(engines.map(({ runtime }) => createChat(runtime, worldId)));
    const from = await a.runtime.store.read((reader) => reader.lastEventId(worldId));
    const heard = engines.map(() => new Array<number>());
    engines.forEach(({ runtime }, index) => {
      runtime.bus.subscribe(worldId, ({ id, event }) => {
        if (event !== 'sse' && id > from) heard[index]?.push(id);
      });
    });
    await Promise.all(
      engines.flatMap((engine, index) =>
        Array.from({ length: ROUNDS }, () => say(engine, worldId, chats[index]?.id ?? '', '@human hello')),
      ),
    );
    const last = await a.runtime.store.read((reader) => reader.lastEventId(worldId));
    await expect.poll(() => heard.every((ids) => ids.includes(last))).toBe(true);
    const all = Array.from({ length: last - from }, (_, index) => from + 1 + index);
    expect(heard.map((ids) => ids.slice(0, all.length))).toEqual([all, all, all]);
  });

  it('[WORLD9] a stop at one process ends a turn that another is running', async () => {
    const url = await createMigratedDatabase();
    const runs = new Map<string, number>();
    let started = (): void => undefined;
    const began = new Promise<void>((resolve) => (started = resolve));
    const tool = countingTool(runs, () => {
      started();
      return new Promise(() => undefined);
    });
    const [a, b] = await Promise.all([openEngine(url, [tool]), openEngine(url, [tool])]);
    const scene = await prepare(a);
    const { worldId, chatId } = scene;
    await decideCall(a.runtime, worldId, undefined, await approvalFor('letter_1', scene, a, a), signer);
    await began;
    const runner = a.runtime.scheduler.running().length > 0 ? a : b;
    const other = runner === a ? b : a;
    await stopChat(other.runtime, worldId, chatId, signer);
    await expect.poll(() => runner.runtime.scheduler.running()).toEqual([]);
    await expect.poll(async () => (await a.runtime.store.read((reader) => reader.chat(chatId)))?.status).toBe('idle');
  });

  it('[WORLD9.3] a stop at one process keeps the partial answer that a model was writing in another', async () => {
    const url = await createMigratedDatabase();
    const shown: string[][] = [];
    let started = (): void => undefined;
    const began = new Promise<void>((resolve) => (started = resolve));
    const model = scripted(({ messages, onChunk }) => {
      shown.push(messages.slice(1).map(({ content }) => content));
      if (messages.length > 2) return 'Noted.';
      onChunk('Half an ');
      started();
      return new Promise<never>(() => undefined);
    });
    const [a, b] = [await openEngine(url, [], model), await openEngine(url, [], model)];
    const { worldId, chatId } = await prepare(a);
    const kept = nextEvent(b, worldId, (event) => event.event === 'message' && event.data.role === 'assistant');
    await say(a, worldId, chatId, 'letter_1');
    await began;
    await stopChat(b.runtime, worldId, chatId, signer);
    expect((await kept).data).toMatchObject({ content: 'Half an', stoppedBy: signer.who });
    expect(await listMessages(b.runtime, chatId)).toHaveLength(2);
    for (const engine of [a, b]) {
      const idle = nextEvent(engine, worldId, isStatus('idle'));
      await say(engine, worldId, chatId, 'letter_2');
      await idle;
      expect(shown.at(-1)?.slice(0, 4)).toEqual([
        'letter_1',
        'Half an',
        'A person stopped your answer here.',
        'letter_2',
      ]);
    }
  });

  it('[WORLD9.3] a turn that was stopped and whose process then died is idle, and keeps what was stored', async () => {
    const url = await createMigratedDatabase();
    let started = (): void => undefined;
    const began = new Promise<void>((resolve) => (started = resolve));
    const model = scripted(({ onChunk }) => {
      onChunk('Half an ');
      started();
      return new Promise<never>(() => undefined);
    });
    // The runner never stores its partial answer, as if it had died after the stop.
    const [a, b] = [
      await openEngine(url, [], model, undefined, (moment) => {
        if (moment === 'before keep-stopped') throw new Error('died');
      }),
      await openEngine(url, [], model),
    ];
    const { worldId, chatId } = await prepare(a);
    await say(a, worldId, chatId, 'letter_1');
    await began;
    await stopChat(b.runtime, worldId, chatId, signer);
    await expect.poll(() => a.runtime.scheduler.running()).toEqual([]);
    expect(await listMessages(b.runtime, chatId)).toMatchObject([{ content: 'letter_1' }]);
    expect((await b.runtime.store.read((reader) => reader.chat(chatId)))?.status).toBe('idle');
  });
});
