import { createFakeClock } from '@countersign/core/testing';
import type { WorldEvent } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { ClientError } from './http/client-error.js';
import { createClient } from './http/create-client.js';
import type { Batch } from './http/events.js';
import type { Feed } from './feed.js';
import { openView } from './open-view.js';

interface State {
  readonly heard: readonly number[];
  readonly loads: number;
  readonly failed?: string;
  readonly fetched: number;
}
type Action = { type: 'loaded' } | { type: 'fetched' };

const busy = (): ClientError => new ClientError('problem', { status: 503, detail: 'Busy.' });
const broken = (): ClientError => new ClientError('unreadable', { detail: 'That is no world.' });

function happens(...ids: number[]): Batch {
  return ids.map((id): Batch[number] => {
    const event: WorldEvent = { id, worldId: 'w', event: 'world', data: { type: 'idle', pendingOperations: 0 } };
    return { kind: 'event', event };
  });
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
}

/** A view over a stream that the test controls. `answers` and `fetches` are the server's responses; the last one repeats. */
function open(answers: (() => void)[], fetches: (() => void)[] = []) {
  const clock = createFakeClock();
  const sleepers = new Set<() => void>();
  let listener: Parameters<Feed['subscribe']>[0] | undefined;
  const asked: number[] = [];
  let fetched = 0;
  const feed: Feed = {
    subscribe(mine) {
      listener = mine;
      return () => undefined;
    },
    wakes: (wake) => {
      sleepers.add(wake);
      return () => sleepers.delete(wake);
    },
    retryNow: () => undefined,
    close: () => undefined,
  };
  const view = openView<State, Action>({
    client: createClient({ url: 'http://127.0.0.1:9', clock, random: () => 1 }),
    feed,
    initial: { heard: [], loads: 0, fetched: 0 },
    reduce(state, action) {
      switch (action.type) {
        case 'loaded':
          return { heard: [], loads: state.loads + 1, fetched: state.fetched };
        case 'load-failed':
          return { ...state, failed: action.why };
        case 'event':
          return { ...state, heard: [...state.heard, action.event.id] };
        case 'fetched':
          return { ...state, fetched: state.fetched + 1 };
        case 'connection':
          return state;
      }
    },
    async load(position) {
      asked.push(position);
      answers[Math.min(asked.length, answers.length) - 1]?.();
      return { type: 'loaded' };
    },
    refetch: () =>
      fetches.length === 0
        ? undefined
        : {
            name: 'thing',
            async fetch() {
              fetched += 1;
              fetches[Math.min(fetched, fetches.length) - 1]?.();
              return { type: 'fetched' };
            },
          },
  });
  return {
    view,
    clock,
    asked,
    fetched: () => fetched,
    started: (position: number) => listener?.started(position),
    hear: (batch: Batch) => listener?.heard(batch),
    wake: () => {
      for (const each of [...sleepers]) each();
    },
  };
}
const fine = (): void => undefined;
const fail = (error: ClientError) => () => {
  throw error;
};

describe('a view', () => {
  it('[STORE6] that failed to load shows nothing, and loads when the connection is back', async () => {
    const t = open([fail(broken()), fine]);
    t.started(5);
    await settle();
    expect(t.view.getState().failed).toBe('That is no world.');
    t.hear(happens(6, 7));
    t.hear([{ kind: 'connection', connection: { kind: 'open' } }]);
    t.hear(happens(8));
    await settle();
    // Earlier events are included in the load.
    expect(t.asked).toEqual([5, 7]);
    expect(t.view.getState()).toMatchObject({ loads: 1, heard: [8] });
  });

  it('[PAGE1] that has loaded keeps its content when a reload fails, and retries until it succeeds', async () => {
    const t = open([fine, fail(broken()), fail(busy()), fine]);
    t.started(1);
    await settle();
    t.started(4);
    await settle();
    t.hear(happens(5));
    expect(t.view.getState()).toEqual({ heard: [], loads: 1, fetched: 0 });
    t.clock.advance(250);
    await settle();
    t.clock.advance(500);
    await settle();
    expect(t.view.getState()).toEqual({ heard: [5], loads: 2, fetched: 0 });
  });

  it('[PAGE1] that has loaded ends when its subject no longer exists', async () => {
    const t = open([fine, fail(new ClientError('problem', { status: 404, detail: 'Gone.' }))]);
    t.started(1);
    await settle();
    t.started(4);
    await settle();
    expect(t.view.getState().failed).toBe('Gone.');
  });

  it('[PAGE1] whose first load failed loads on a manual retry', async () => {
    const t = open([fail(broken()), fine]);
    t.started(1);
    await settle();
    expect(t.view.getState()).toMatchObject({ failed: 'That is no world.', loads: 0 });
    t.wake();
    await settle();
    expect(t.view.getState().loads).toBe(1);
  });

  it('[STORE7] retries immediately on request', async () => {
    const t = open([fail(busy()), fine]);
    t.started(1);
    await settle();
    expect(t.view.getState().loads).toBe(0);
    t.wake();
    await settle();
    expect(t.view.getState().loads).toBe(1);
  });

  it('[STORE7] refetches items that changed while the server was busy, but not deleted ones', async () => {
    const gone = fail(new ClientError('problem', { status: 404, detail: 'Gone.' }));
    const t = open([fine], [fail(busy()), fail(busy()), fine, gone]);
    t.started(1);
    await settle();
    t.hear(happens(2));
    await settle();
    expect([t.fetched(), t.view.getState().fetched]).toEqual([1, 0]);
    t.clock.advance(250);
    await settle();
    t.clock.advance(500);
    await settle();
    expect([t.fetched(), t.view.getState().fetched]).toEqual([3, 1]);
    t.hear(happens(3));
    await settle();
    t.clock.advance(60_000);
    await settle();
    expect(t.fetched()).toBe(4);
  });

  it('[HTTP13] reloads once after any number of unreadable events', async () => {
    const t = open([fine]);
    t.started(1);
    await settle();
    const malformed: Batch = [{ kind: 'malformed', detail: 'no JSON' }];
    t.hear([...happens(2), ...malformed, ...malformed]);
    t.clock.advance(0);
    await settle();
    t.clock.advance(10_000);
    await settle();
    expect(t.asked).toEqual([1, 2]);
    t.hear(malformed);
    t.hear(malformed);
    t.clock.advance(1000);
    await settle();
    expect(t.asked).toHaveLength(2);
    t.clock.advance(4000);
    await settle();
    t.clock.advance(60_000);
    await settle();
    expect(t.asked).toEqual([1, 2, 2]);
    t.hear(malformed);
    t.view.close();
    t.clock.advance(60_000);
    await settle();
    expect(t.asked).toHaveLength(3);
  });
});
