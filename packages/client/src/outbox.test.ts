import { createFakeClock } from '@countersign/core/testing';
import { describe, expect, it } from 'vitest';
import type { Client } from './http/client.js';
import { createClient } from './http/create-client.js';
import type { TranscriptMessage } from './state/state.js';
import { createOutbox, notYetShown, type Outgoing } from './outbox.js';

async function settle(): Promise<void> {
  for (let turns = 0; turns < 200; turns += 1) await Promise.resolve();
}

interface Post {
  path: string;
  content?: string;
  clientMessageId?: string;
}

/** A server that answers each POST from the list; the last answer repeats. `down`: no response. */
function open(answers: (number | 'down')[], saved?: string) {
  const clock = createFakeClock();
  const posts: Post[] = [];
  const deleted: string[] = [];
  const memory: { text?: string } = {};
  const answer = async (url: string, init: RequestInit): Promise<Response> => {
    const body = JSON.parse(typeof init.body === 'string' ? init.body : '{}') as Omit<Post, 'path'>;
    const path = new URL(url).pathname;
    if (init.method === 'GET') return Response.json({ items: [] });
    if (init.method === 'DELETE') {
      deleted.push(path);
      return new Response(null, { status: 204 });
    }
    posts.push({ path, ...body });
    const status = answers[Math.min(posts.length, answers.length) - 1] ?? 'down';
    if (status === 'down') throw new TypeError('fetch failed');
    if (status >= 400)
      return Response.json({ type: 'about:blank', title: 'No', status, detail: `No: ${status}` }, { status });
    const chat = { id: 'made', worldId: 'w', title: 'New chat', status: 'idle', createdAt: '2026-01-01T00:00:00Z' };
    return Response.json(path.endsWith('/chats') ? chat : { messageId: `m${posts.length}` });
  };
  const client: Client = createClient({
    url: 'http://127.0.0.1:9',
    clock,
    random: () => 1,
    fetch: ((url: string, init: RequestInit) => answer(url, init)) as typeof fetch,
  });
  const outbox = createOutbox({ client, saved, save: (text) => (memory.text = text) });
  const progress = (): string[] => outbox.getState().map((each) => each.progress.kind);
  /** Waits until a responsive server has received everything. */
  const wait = async (): Promise<void> => {
    for (let steps = 0; steps < 12; steps += 1) {
      clock.advance(20_000);
      await settle();
    }
  };
  return { outbox, posts, deleted, memory, progress, wait };
}

describe('the outbox', () => {
  it('[HTTP6.1] shows a message immediately, retries with the same id, and keeps the order within a chat', async () => {
    const t = open([...Array.from({ length: 9 }, () => 'down' as const), 202]);
    t.outbox.send({ worldId: 'w', chatId: 'c', content: 'one' });
    t.outbox.send({ worldId: 'w', chatId: 'c', content: 'two' });
    expect(t.progress()).toEqual(['sending', 'sending']);
    await t.wait();
    expect(t.progress()).toEqual(['sent', 'sent']);
    const one = t.posts.filter(({ content }) => content === 'one');
    expect(one).toHaveLength(10);
    expect(new Set(one.map(({ clientMessageId }) => clientMessageId)).size).toBe(1);
    expect(t.posts.slice(10).map(({ content }) => content)).toEqual(['two']);
  });

  it('[HTTP6.1] reports that it retries, and retries immediately on request', async () => {
    const t = open([503, 202]);
    t.outbox.send({ worldId: 'w', chatId: 'c', content: 'one' });
    await settle();
    expect(t.outbox.getState()).toMatchObject([{ progress: { kind: 'retrying', why: 'No: 503' } }]);
    t.outbox.retryNow();
    await settle();
    expect(t.progress()).toEqual(['sent']);
  });

  it('[WHO1] waits for sign-in instead of retrying', async () => {
    const t = open([401, 202]);
    t.outbox.send({ worldId: 'w', chatId: 'c', content: 'one' });
    await t.wait();
    expect([t.posts.length, ...t.progress()]).toEqual([1, 'retrying']);
    t.outbox.retryNow();
    await settle();
    expect(t.progress()).toEqual(['sent']);
  });

  it('[HTTP1] keeps a rejected message with the reason, sends the next one, and retries with the same id', async () => {
    const t = open([413, 202]);
    t.outbox.send({ worldId: 'w', chatId: 'c', content: 'one' });
    t.outbox.send({ worldId: 'w', chatId: 'c', content: 'two' });
    await settle();
    expect(t.outbox.getState()).toMatchObject([{ content: 'one', progress: { kind: 'refused', why: 'No: 413' } }, {}]);
    expect(t.progress()).toEqual(['refused', 'sent']);
    t.outbox.retry(t.outbox.getState()[0]?.clientMessageId ?? '');
    await settle();
    expect(t.posts.at(-1)).toMatchObject({ content: 'one', clientMessageId: t.posts[0]?.clientMessageId });
    t.outbox.remove(t.outbox.getState().map(({ clientMessageId }) => clientMessageId));
    expect(t.progress()).toEqual([]);
  });

  it('[HTTP6.1] creates one chat for its first message, and another if that chat was deleted', async () => {
    const t = open([200, 500, 404, 200, 202]);
    t.outbox.send({ worldId: 'w', content: 'one' });
    await t.wait();
    expect(t.progress()).toEqual(['refused']);
    t.outbox.retry(t.outbox.getState()[0]?.clientMessageId ?? '');
    await t.wait();
    expect(t.progress()).toEqual(['sent']);
    expect(t.posts.map(({ path }) => path.split('/').at(-1))).toEqual([
      'chats',
      'messages',
      'messages',
      'chats',
      'messages',
    ]);
  });

  it('[PAGE2] leaves no empty chat behind if its first message is rejected', async () => {
    const t = open([200, 413, 200, 202]);
    t.outbox.send({ worldId: 'w', content: 'one' });
    await settle();
    expect(t.outbox.getState()).toMatchObject([{ progress: { kind: 'refused', why: 'No: 413' } }]);
    expect(t.deleted).toEqual(['/api/worlds/w/chats/made']);
    t.outbox.retry(t.outbox.getState()[0]?.clientMessageId ?? '');
    await settle();
    expect(t.progress()).toEqual(['sent']);
    expect(t.deleted).toHaveLength(1);
  });

  it('[HTTP6.1] continues after a page reload, with the same id', async () => {
    const before = open(['down']);
    before.outbox.send({ worldId: 'w', chatId: 'c', content: 'one' });
    await settle();
    const t = open([202], before.memory.text);
    await settle();
    expect(t.posts).toMatchObject([{ content: 'one', clientMessageId: before.posts[0]?.clientMessageId }]);
    expect(t.memory.text).toBe('[]');
    expect(open([202], 'not ours').outbox.getState()).toEqual([]);
  });
});

describe('messages not in the transcript yet', () => {
  const out = (id: string, progress: Outgoing['progress']): Outgoing => ({
    clientMessageId: id,
    worldId: 'w',
    chatId: 'c',
    beginsChat: false,
    content: 'hello',
    progress,
  });
  const line = (messageId: string, clientMessageId?: string): TranscriptMessage => ({
    messageId,
    ...(clientMessageId === undefined ? {} : { clientMessageId }),
    content: 'hello',
    speaker: { kind: 'person', name: 'human' },
    createdAt: '2026-01-01T00:00:00Z',
    invocationIds: [],
  });
  const ids = (found: readonly Outgoing[]): string[] => found.map(({ clientMessageId }) => clientMessageId);

  it('[PAGE1.1] are matched by id, not by text: the same text may be sent twice', () => {
    const two = [out('a', { kind: 'sending' }), out('b', { kind: 'sent', messageId: 'm3' })];
    expect(ids(notYetShown(two, [line('m1')]))).toEqual(['a', 'b']);
    // The stream delivered the line before the response to its request.
    expect(ids(notYetShown(two, [line('m1'), line('m2', 'a')]))).toEqual(['b']);
    expect(ids(notYetShown(two, [line('m2', 'a'), line('m3', 'b')]))).toEqual([]);
  });
});
