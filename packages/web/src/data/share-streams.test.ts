import { createFakeClock } from '@countersign/core/testing';
import type { Batch, Client, EventsOptions } from '@countersign/client';
import { createClient } from '@countersign/client';
import type { NewClient } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { createQueue, type Queue } from './queue.js';
import { shareStreams } from './share-streams.js';
import { type FakeBrowser, fakeBrowser } from './testing/fake-browser.js';

/** A tab: the requests of its stream, its events, and what its views receive. */
function open(home: FakeBrowser, after: number, as?: NewClient) {
  const clock = createFakeClock();
  const streams: { after: number | undefined; as: NewClient | undefined; queue: Queue<Batch> }[] = [];
  const client: Client = {
    ...createClient({ url: 'http://127.0.0.1:9', clock }),
    async *eventBatches(_world: string, { after: from, as, signal }: EventsOptions = {}) {
      const queue = createQueue<Batch>();
      streams.push({ after: from, as, queue });
      signal?.addEventListener('abort', () => queue.end(), { once: true });
      yield [{ kind: 'connection', connection: { kind: 'open' } }];
      yield* queue.read();
      yield [{ kind: 'connection', connection: { kind: 'closed' } }];
    },
  };
  const heard: (number | string)[] = [];
  const over = new AbortController();
  const tab = {};
  const read = async (): Promise<void> => {
    const shared = shareStreams(client, home.tabOf(tab), as);
    for await (const batch of shared.eventBatches('w', { after, signal: over.signal })) {
      for (const item of batch) {
        if (item.kind === 'event') heard.push(item.event.id);
        if (item.kind === 'reset') heard.push('reset');
      }
    }
  };
  const done = read();
  return { clock, streams, heard, tab, close: () => over.abort(), done };
}

function happens(...ids: number[]): Batch {
  return ids.map((id) => ({
    kind: 'event',
    event: { id, worldId: 'w', event: 'world', data: { type: 'idle', pendingOperations: 0 } },
  }));
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
}

describe('the shared stream', () => {
  it('[STORE6] is opened by one tab and received by all, each from its own position', async () => {
    const home = fakeBrowser();
    const first = open(home, 10);
    await settle();
    first.streams[0]?.queue.push(happens(11, 12));
    await settle();
    // It loaded its data at 11, so it missed 12.
    const second = open(home, 11);
    await settle();
    first.streams[0]?.queue.push(happens(13));
    await settle();
    expect(first.heard).toEqual([11, 12, 13]);
    expect(second.heard).toEqual([12, 13]);
    expect(second.streams).toEqual([]);
  });

  it('[STORE6] moves to another tab when the tab that opened it is closed', async () => {
    const home = fakeBrowser();
    const first = open(home, 0);
    const second = open(home, 0);
    const third = open(home, 0);
    await settle();
    first.streams[0]?.queue.push(happens(1));
    await settle();
    first.close();
    await first.done;
    await settle();
    expect(second.streams.map(({ after }) => after)).toEqual([1]);
    second.streams[0]?.queue.push(happens(2, 3));
    await settle();
    expect(third.heard).toEqual([1, 2, 3]);
    expect(third.streams).toEqual([]);
  });

  it('[STORE6] is taken over from an unresponsive tab, which becomes a follower when it wakes up', async () => {
    const home = fakeBrowser();
    const first = open(home, 0);
    const second = open(home, 0);
    await settle();
    home.frozen.add(first.tab);
    // Asks whether another tab is active, and waits for an answer.
    second.clock.advance(30_000);
    await settle();
    expect(second.streams).toEqual([]);
    // The tab wakes up, and its answer is late.
    home.frozen.delete(first.tab);
    second.clock.advance(3000);
    await settle();
    expect(second.streams.map(({ after }) => after)).toEqual([0]);
    second.streams[0]?.queue.push(happens(1));
    await settle();
    expect(second.heard).toEqual([1]);
    expect(first.heard).toEqual([1]);
  });

  it('[CALL13] registers the client with the stream, so that the stream is never open without a client', async () => {
    const home = fakeBrowser();
    const web: NewClient = { label: 'web', approvals: true };
    const first = open(home, 0, web);
    await settle();
    expect(first.streams.map(({ as }) => as)).toEqual([web]);
    first.close();
    await first.done;
  });

  it('[STORE6] tells a tab that is too far behind to reload', async () => {
    const home = fakeBrowser();
    const first = open(home, 0);
    await settle();
    first.streams[0]?.queue.push(happens(...Array.from({ length: 400 }, (_, index) => index + 1)));
    await settle();
    const late = open(home, 5);
    await settle();
    expect(late.heard).toEqual(['reset']);
    const later = open(home, 390);
    await settle();
    expect(later.heard).toEqual([391, 392, 393, 394, 395, 396, 397, 398, 399, 400]);
  });
});
