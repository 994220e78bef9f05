import { CountersignError } from '@countersign/protocol';
import { expect, it } from 'vitest';
import type { Store, StoredEvent } from '../ports/index.js';
import { createEventFeed } from './event-feed.js';

const W = 'w';

function event(id: number): StoredEvent {
  return { id, worldId: W, at: 0, event: 'system', chatId: null, data: { type: 'notice', message: String(id) } };
}

/** A fake log with contents and timing that the test controls. */
function scene() {
  const log: StoredEvent[] = [];
  const told: number[] = [];
  let held: (() => void)[] | undefined;
  const reader = {
    lastEventId: async () => log.at(-1)?.id ?? 0,
    events: async (_: string, { after, limit }: { after: number; limit: number }) =>
      log.filter(({ id }) => id > after).slice(0, limit),
  };
  const store = {
    read: async (work: (of: typeof reader) => Promise<unknown>) => {
      if (held !== undefined) await new Promise<void>((resolve) => held?.push(resolve));
      return await work(reader);
    },
  } as unknown as Store;
  const feed = createEventFeed(
    store,
    ({ id }) => told.push(id),
    (error) => {
      throw error;
    },
  );
  return {
    feed,
    told,
    /** Events that another process writes. */
    written: (...ids: number[]) => log.push(...ids.map(event)),
    /** An event that this process writes. */
    offer: (id: number) => {
      log.push(event(id));
      feed.offer(event(id));
    },
    hold: () => void (held ??= []),
    release: () => {
      const waiting = held ?? [];
      held = undefined;
      for (const go of waiting) go();
    },
  };
}

it('[STORE6] an unread event from another process is delivered before a later event from this process', async () => {
  const { feed, told, written, offer } = scene();
  offer(1);
  feed.watch(W);
  written(2);
  offer(3);
  await expect.poll(() => told).toEqual([1, 2, 3]);
});

it('[STORE6] events during the first read of the log are delivered once and in order', async () => {
  const { feed, told, written, offer, hold, release } = scene();
  written(1, 2);
  hold();
  feed.watch(W);
  offer(3);
  written(4);
  feed.reached(W, 4);
  release();
  await expect.poll(() => told).toEqual([3, 4]);
});

it('[STORE6] a new watcher gets every event after the last known one', async () => {
  const { feed, told, written, hold, release } = scene();
  written(1, 2);
  feed.reached(W, 2);
  feed.watch(W);
  hold();
  written(3);
  feed.reached(W, 3);
  written(4);
  feed.reached(W, 4);
  release();
  await expect.poll(() => told).toEqual([3, 4]);
});

it('[STORE6] missing numbers of a deleted chat don’t block the feed', async () => {
  const { feed, told, written, offer } = scene();
  offer(1);
  feed.watch(W);
  written(2, 7);
  feed.reached(W, 9);
  offer(10);
  await expect.poll(() => told).toEqual([1, 2, 7, 10]);
});

it('[STORE6] recovers from a lost hint', async () => {
  const { feed, told, written, offer } = scene();
  offer(1);
  feed.watch(W);
  written(2);
  expect(told).toEqual([1]);
  feed.recheck();
  await expect.poll(() => told).toEqual([1, 2]);
});

it('reports a read that fails, but not because the store was closed', async () => {
  const reported: unknown[] = [];
  const broken = new Error('broken');
  const failures = [new CountersignError('closed', 'The store is closed.'), broken];
  const store = { read: () => Promise.reject(failures.shift() ?? broken) } as unknown as Store;
  const feed = createEventFeed(
    store,
    () => undefined,
    (error) => reported.push(error),
  );
  feed.watch(W);
  feed.recheck();
  await expect.poll(() => reported).toEqual([broken]);
});
