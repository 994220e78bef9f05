import { type Batch, type Client, ClientError, createClient } from '@countersign/client';
import { createFakeClock } from '@countersign/core/testing';
import type { QueueChange } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { openWaiting } from '../approvals/inbox/waiting.js';
import { createQueue, type Queue } from './queue.js';
import { type QueueNews, followQueues } from './share-queues.js';
import { type FakeBrowser, fakeBrowser } from './testing/fake-browser.js';

const OPEN: Batch<QueueChange> = [{ kind: 'connection', connection: { kind: 'open' } }];
const changed = (worldId: string): Batch<QueueChange> => [{ kind: 'event', event: { worldId } }];

/** A client of one tab, whose streams the test feeds. */
function fakeClient(more: Partial<Client> = {}) {
  const clock = createFakeClock();
  const streams: Queue<Batch<QueueChange>>[] = [];
  const client: Client = {
    ...createClient({ url: 'http://127.0.0.1:9', clock }),
    async *queueBatches({ signal } = {}) {
      const queue = createQueue<Batch<QueueChange>>();
      streams.push(queue);
      signal?.addEventListener('abort', () => queue.end(), { once: true });
      yield* queue.read();
    },
    ...more,
  };
  return { clock, streams, client };
}

function open(home: FakeBrowser) {
  const at = fakeClient();
  const heard: string[] = [];
  const tab = {};
  const close = followQueues(at.client, home.tabOf(tab), (news: QueueNews) =>
    heard.push(news.kind === 'changed' ? news.worldId : news.kind),
  );
  return { ...at, heard, tab, close };
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 30; turns += 1) await Promise.resolve();
}

it('[PAGE6] the tabs of a browser share one stream, and one that joins or missed something reads everything', async () => {
  const home = fakeBrowser();
  const first = open(home);
  await settle();
  first.streams[0]?.push(OPEN);
  first.streams[0]?.push(changed('a'));
  await settle();
  const second = open(home);
  await settle();
  first.streams[0]?.push(changed('b'));
  await settle();
  expect([first.heard, second.heard]).toEqual([
    ['everything', 'a', 'b'],
    ['everything', 'b'],
  ]);
  expect(second.streams).toEqual([]);
  home.frozen.add(second.tab);
  first.streams[0]?.push(changed('c'));
  await settle();
  home.frozen.delete(second.tab);
  second.clock.advance(30_000);
  await settle();
  expect(second.heard.slice(2)).toEqual(['everything']);
  second.close();
  first.close();
});

it('[PAGE6] if the reading tab is closed or frozen, another one opens the stream', async () => {
  const home = fakeBrowser();
  const [first, second, third] = [open(home), open(home), open(home)];
  await settle();
  first.streams[0]?.push(OPEN);
  await settle();
  first.close();
  await settle();
  second.streams[0]?.push(OPEN);
  await settle();
  expect(third.heard).toEqual(['everything', 'everything']);
  home.frozen.add(second.tab);
  third.clock.advance(30_000);
  third.clock.advance(3_000);
  await settle();
  expect(third.streams).toHaveLength(1);
  third.close();
  second.close();
});

it('[PAGE6] reads a world that changed at once, and again only after a pause, which grows while it changes', async () => {
  const asked: string[] = [];
  let answers: (() => void)[] = [];
  const { clock, client, streams } = fakeClient({
    waiting: async () => ({ items: [] }),
    approvals: async (world) => {
      asked.push(world);
      await new Promise<void>((resolve) => answers.push(resolve));
      if (world === 'gone') throw new ClientError('problem', { status: 404, detail: '' });
      return { items: [] };
    },
  });
  const waiting = openWaiting(client, fakeBrowser().tabOf({}));
  waiting.show('shown');
  await settle();
  streams[0]?.push(OPEN);
  for (const world of ['a', 'a', 'a', 'gone', 'shown']) streams[0]?.push(changed(world));
  await settle();
  expect(asked).toEqual(['a', 'gone']);
  for (const answer of answers.splice(0)) answer();
  await settle();
  expect(asked).toEqual(['a', 'gone']);
  clock.advance(200);
  await settle();
  expect(asked).toEqual(['a', 'gone', 'a']);
  for (const pause of [400, 600, 600]) {
    streams[0]?.push(changed('a'));
    for (const answer of answers.splice(0)) answer();
    await settle();
    const before = asked.length;
    clock.advance(pause - 1);
    await settle();
    expect(asked).toHaveLength(before);
    clock.advance(1);
    await settle();
    expect(asked).toHaveLength(before + 1);
  }
  // The page shows another world now.
  waiting.show('a');
  await settle();
  expect(asked.at(-1)).toBe('shown');
  waiting.close();
  answers = [];
});

it('[PAGE6] without a stream, reads everything every 30 seconds', async () => {
  let reads = 0;
  const { clock, client, streams } = fakeClient({
    waiting: async () => {
      reads += 1;
      return { items: [] };
    },
  });
  const waiting = openWaiting(client, fakeBrowser().tabOf({}));
  await settle();
  clock.advance(2_000);
  await settle();
  expect(reads).toBe(1);
  streams[0]?.push(OPEN);
  await settle();
  clock.advance(300_000);
  await settle();
  expect(reads).toBe(2);
  const lost = { kind: 'reconnecting', attempt: 1, retryAt: clock.now() + 999_999, why: '' } as const;
  streams[0]?.push([{ kind: 'connection', connection: lost }]);
  await settle();
  clock.advance(30_000);
  await settle();
  expect(reads).toBe(3);
  waiting.close();
});
