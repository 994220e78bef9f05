import {
  createChat,
  createWorld,
  deleteChat,
  deleteWorld,
  listApprovals,
  listMessages,
  publishMessage,
  decideCall,
  type Engine,
} from '@countersign/core';
import { defineTool } from '@countersign/core/ports';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { OpenStream, ReadFrame } from '../testing/open-stream.js';
import { send } from '../testing/send.js';
import { openStreamFixture, TESTER, type StreamFixture } from '../testing/stream-fixture.js';

let fixture: StreamFixture | undefined;
afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
});

async function open(...given: Parameters<typeof openStreamFixture>): Promise<StreamFixture> {
  fixture = await openStreamFixture(...given);
  return fixture;
}

const isIdle = ({ event, data }: ReadFrame): boolean => event === 'world' && data['type'] === 'idle';
const isWaiting = ({ event, data }: ReadFrame): boolean => event === 'world' && data['type'] === 'waiting';
const stored = (frames: readonly ReadFrame[]): ReadFrame[] =>
  frames.filter(({ event }) => event !== 'sse' && event !== 'tool-output');
const ids = (frames: readonly ReadFrame[]): number[] => stored(frames).map(({ id }) => Number(id));
const lastEventId = (engine: Engine, worldId: string): Promise<number> =>
  engine.runtime.store.read((reader) => reader.lastEventId(worldId));

/** Resolves when all work has settled. */
async function settle({ engine }: StreamFixture): Promise<void> {
  await engine.quiet();
}

const danger = defineTool({
  name: 'danger',
  description: 'Needs a signature.',
  parameters: z.object({}),
  approval: { required: true },
  execute: (_, { output }) => {
    output('working on it');
    return 'done';
  },
});
const askOnce = [{ say: 'I would do it.', calls: [{ name: 'danger' }] }, 'Done.'];

describe('a chat stream', () => {
  it('[HTTP13] [HTTP7] sends frames with id, event and JSON, and chunks with the previous id', async () => {
    const { stream, say } = await open(() => 'hello there');
    const reader = await stream();
    expect(reader.response.headers['content-type']).toBe('text/event-stream');
    await say('hi');
    await reader.until(isIdle);
    const { frames } = reader;
    expect(new Set(frames.map(({ event }) => event))).toEqual(new Set(['message', 'system', 'world', 'sse']));
    const chunks = frames.filter(({ data }) => data['type'] === 'chunk');
    expect(chunks.map(({ data }) => data['content']).join('')).toBe('hello there');
    expect(chunks.map(({ data }) => data['offset'])).toEqual([0, 6]);
    const at = frames.findIndex(({ event }) => event === 'sse');
    expect(frames[at]?.id).toBe(frames[at - 1]?.id);
    const answer = frames.find(({ event, data }) => event === 'message' && data['content'] === 'hello there');
    expect(answer?.data['messageId']).toBe(chunks[0]?.data['messageId']);
    expect(frames.every(({ data }) => data['chatId'] === fixture?.chatId)).toBe(true);
  });

  it('[STORE6] resumes without gaps or duplicates, by header and by query', async () => {
    const { stream, say, chatId, engine, worldId } = await open();
    const whole = await stream({ chat: chatId });
    const first = await stream({ chat: chatId });
    await say('one');
    await first.until(isIdle);
    first.close();
    await say('two');
    await settle(fixture as StreamFixture);
    const resumed = await stream({ chat: chatId, after: '1' }, { headers: { 'last-event-id': first.lastId() } });
    const byQuery = await stream({ chat: chatId, after: first.lastId() });
    await say('three');
    await settle(fixture as StreamFixture);
    const last = await lastEventId(engine, worldId);
    for (const reader of [whole, resumed, byQuery]) await reader.until(({ id }) => Number(id) === last);
    expect([...ids(first.frames), ...ids(resumed.frames)]).toEqual(ids(whole.frames));
    expect(ids(byQuery.frames)).toEqual(ids(resumed.frames));
    expect(ids(whole.frames).at(-1)).toBe(last);
    expect(new Set(ids(whole.frames)).size).toBe(ids(whole.frames).length);
  });

  it('[STORE6] starts with new events, or with the whole log on request', async () => {
    const { stream, say, chatId } = await open();
    for (let i = 0; i < 30; i += 1) await say(`message ${i}`);
    await settle(fixture as StreamFixture);
    const late = await stream();
    const early = await stream({ chat: chatId, after: '0' });
    await early.until(({ data }) => data['content'] === 'message 29');
    await say('now');
    await late.until(({ data }) => data['content'] === 'now');
    await early.until(({ data }) => data['content'] === 'now');
    expect(late.frames[0]?.data['content']).toBe('now');
    const said = early.frames.filter(({ event, data }) => event === 'message' && data['role'] === 'user');
    expect(said.map(({ data }) => data['content'])).toEqual([
      ...Array.from({ length: 30 }, (_, i) => `message ${i}`),
      'now',
    ]);
  });

  it('[STORE6] readers that join during a burst get every event exactly once', async () => {
    const { stream, say, chatId, engine, worldId } = await open();
    const readers: OpenStream[] = [];
    for (let i = 0; i < 40; i += 1) {
      // Not awaited, so that the next reader joins in the middle of it.
      const said = say(`message ${i}`);
      readers.push(await stream({ chat: chatId, after: '0' }));
      await said;
    }
    await settle(fixture as StreamFixture);
    await say('last');
    await settle(fixture as StreamFixture);
    const log = await engine.runtime.store.read((reader) =>
      reader.events(worldId, { after: 0, limit: 10_000, chatId }),
    );
    const end = log.at(-1)?.id;
    for (const reader of readers) {
      await reader.until(({ id }) => Number(id) === end);
      expect(ids(reader.frames)).toEqual(log.map(({ id }) => id));
    }
  });

  it('[STORE6.1] an id beyond the log causes a reset, followed by new events', async () => {
    const { stream, say, engine, worldId, chatId } = await open();
    await say('one');
    await settle(fixture as StreamFixture);
    const last = await lastEventId(engine, worldId);
    const resetOf = async (sent: Parameters<typeof stream>) => {
      const reader = await stream(...sent);
      return { reader, reset: await reader.until(({ event }) => event === 'reset') };
    };
    const { reader, reset } = await resetOf([{ chat: chatId, after: String(last + 1) }]);
    expect(reset.id).toBe(String(last));
    await resetOf([{ chat: chatId }, { headers: { 'last-event-id': 'from another server' } }]);
    await say('two');
    await reader.until(({ data }) => data['content'] === 'two');
    expect(reader.frames[0]).toBe(reset);
  });

  it('[STORE6.1] an id before the start of the log causes a reset; 0 returns the whole log', async () => {
    const { stream, engine } = await open();
    const { id: world } = await createWorld(engine.runtime, { name: 'Quay' }, TESTER);
    const oldest = await createChat(engine.runtime, world);
    await publishMessage(engine.runtime, { worldId: world, chatId: oldest.id, speaker: 'human', content: 'hi' });
    const newer = await createChat(engine.runtime, world);
    const early = await stream({ world, after: '1' });
    await early.until(({ data }) => data['id'] === newer.id);
    // Deleting the chat removes the beginning of the log.
    await deleteChat(engine.runtime, world, oldest.id, TESTER);
    const late = await stream({ world, after: '1' });
    await late.until(({ event }) => event === 'reset');
    const all = await stream({ world, after: '0' });
    await all.until(({ data }) => data['operation'] === 'delete');
    expect(all.frames[0]).toMatchObject({ event: 'crud', data: { operation: 'create', id: newer.id } });
    expect([...early.frames, ...all.frames].filter(({ event }) => event === 'reset')).toEqual([]);
  });

  it('shows no events of other chats, and ends when its chat is deleted', async () => {
    const { stream, say, engine, worldId, chatId } = await open();
    const { id: other } = await createChat(engine.runtime, worldId);
    const here = await stream();
    const world = await stream({});
    await say('elsewhere', other);
    await say('here');
    await here.until(isIdle);
    await world.until(({ data }) => data['content'] === 'elsewhere');
    expect(here.frames.filter(({ data }) => data['content'] === 'elsewhere')).toEqual([]);
    expect(world.frames.find(({ data }) => data['content'] === 'elsewhere')?.data['chatId']).toBe(other);
    await deleteChat(engine.runtime, worldId, chatId, TESTER);
    expect(await here.over).toBe(true);
    expect(here.frames.at(-1)).toMatchObject({ event: 'crud', data: { operation: 'delete', entity: 'chat' } });
    await world.until(({ event, data }) => event === 'crud' && data['operation'] === 'delete');
    await deleteWorld(engine.runtime, worldId, TESTER);
    expect(await world.over).toBe(true);
  });
});

describe('a stream that ends when the chat has settled', () => {
  it('[HTTP6.1] [WORLD8] ends when the chat is idle or waits for a person', async () => {
    const { stream, say, engine, worldId, chatId } = await open(askOnce, [danger]);
    const after = String(await lastEventId(engine, worldId));
    await say('go');
    const first = await stream({ chat: chatId, after, until: 'settled' });
    expect(await first.over).toBe(true);
    expect(first.frames.at(-1)).toSatisfy(isWaiting);
    const [approval] = await listApprovals(engine.runtime, worldId, { status: 'pending' });
    const before = String(await lastEventId(engine, worldId));
    const decision = { tool_call_id: approval?.approvalId ?? '', decision: 'approve' as const, scope: 'once' as const };
    await decideCall(engine.runtime, worldId, undefined, decision, TESTER);
    const second = await stream({ chat: chatId, after: before, until: 'settled' });
    expect(await second.over).toBe(true);
    expect(second.frames.at(-1)).toSatisfy(isIdle);
    expect(second.frames.find(({ data }) => data['content'] === 'Done.')).toBeDefined();
    // The chat has already settled, so the stream sends the existing events and ends.
    const third = await stream({ chat: chatId, after: before, until: 'settled' });
    expect(await third.over).toBe(true);
    expect(ids(third.frames)).toEqual(ids(second.frames));
  });
});

describe('a client without approvals', () => {
  it('[CALL13] gets no approvals, neither live nor from the log', async () => {
    const { stream, say, register, engine, worldId, chatId } = await open(askOnce, [danger]);
    const pipe = await register({ label: 'pipe', approvals: false });
    const person = await register({ label: 'person', approvals: true });
    const live = { pipe: await stream({ client: pipe }), person: await stream({ client: person }) };
    await say('go');
    await live.person.until(isWaiting);
    const [approval] = await listApprovals(engine.runtime, worldId, { status: 'pending' });
    const decision = { tool_call_id: approval?.approvalId ?? '', decision: 'deny' as const };
    await decideCall(engine.runtime, worldId, undefined, decision, TESTER);
    await live.person.until(isIdle);
    await live.pipe.until(isIdle);
    const replay = await stream({ chat: chatId, after: '0', client: pipe });
    await replay.until(isIdle);
    const questions = (frames: readonly ReadFrame[]) =>
      frames.filter((frame) => /approval/i.test(JSON.stringify(frame)));
    expect(questions(live.person.frames).length).toBeGreaterThanOrEqual(3);
    // The denial stays visible: it is a tool result, not an approval.
    for (const reader of [live.pipe, replay])
      expect(questions(reader.frames).filter(({ data }) => !JSON.stringify(data).includes('User denied'))).toEqual([]);
    expect(live.pipe.frames.some(({ data }) => data['type'] === 'TOOL_DENIED')).toBe(true);
  });

  it('[CALL16] is connected while it reads', async () => {
    const { stream, register, engine } = await open();
    const client = await register({ label: 'editor', approvals: true });
    const leftAt = async () => (await engine.runtime.store.read((reader) => reader.client(client)))?.leftAt;
    const reader = await stream({ client });
    expect(await leftAt()).toBe(null);
    reader.close();
    await expect.poll(leftAt).not.toBe(null);
  });
});

describe('a connection', () => {
  it('[STORE6.3] gets a heartbeat every 15 seconds', async () => {
    const { stream, clock } = await open();
    const reader = await stream();
    const before = reader.comments.length;
    clock.advance(15_000);
    await expect.poll(() => reader.comments.length).toBe(before + 1);
    clock.advance(15_000);
    await expect.poll(() => reader.comments.length).toBe(before + 2);
  });

  it('[STORE6.3] finds missed events with the next heartbeat', async () => {
    const { stream, clock, engine, worldId, chatId } = await open();
    const reader = await stream();
    // Like an event of another process whose hint was lost.
    await engine.runtime.store.transact(worldId, async (tx) => {
      tx.emit({ event: 'system', chatId, data: { type: 'notice', message: 'from elsewhere' } });
    });
    clock.advance(15_000);
    const found = await reader.until(({ data }) => data['message'] === 'from elsewhere');
    expect(Number(found.id)).toBe(await lastEventId(engine, worldId));
  });

  it('[STORE6] reads from the log again after a gap in the numbers', async () => {
    const { stream, say, engine, worldId, chatId } = await open();
    const reader = await stream();
    await engine.runtime.store.transact(worldId, async (tx) => {
      tx.emit({ event: 'system', chatId, data: { type: 'notice', message: 'from elsewhere' } });
    });
    await say('hi');
    await reader.until(isIdle);
    expect(reader.frames[0]?.data['message']).toBe('from elsewhere');
    expect(ids(reader.frames)).toEqual(ids(reader.frames).toSorted((a, b) => a - b));
  });

  it('[HTTP13] gets a notice when the server shuts down, and ends', async () => {
    const { stream, engine } = await open();
    const readers = [await stream(), await stream({})];
    const closed = engine.close();
    for (const reader of readers) {
      expect(await reader.over).toBe(true);
      expect(reader.frames.at(-1)).toMatchObject({ event: 'system', data: { type: 'notice' } });
    }
    await closed;
  });

  it('cleans up when its reader disconnects or sends HEAD', async () => {
    const { stream, say, url } = await open();
    const readers = await Promise.all(Array.from({ length: 20 }, () => stream()));
    const head = await send(url, { method: 'HEAD' });
    expect({ status: head.status, type: head.headers['content-type'] }).toEqual({
      status: 200,
      type: 'text/event-stream',
    });
    for (const reader of readers) reader.close();
    await say('to nobody');
    await settle(fixture as StreamFixture);
    const messages = await listMessages(fixture?.engine.runtime as Engine['runtime'], fixture?.chatId ?? '');
    expect(messages.map(({ content }) => content)).toEqual(['to nobody', 'ok']);
    expect(fixture?.reported).toEqual([]);
  });
});
