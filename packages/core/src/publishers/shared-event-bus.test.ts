import { expect, it } from 'vitest';
import type { Store, StoredEvent } from '../ports/index.js';
import { createEventBus } from './event-bus.js';
import { shareEventBus, type EventHint } from './shared-event-bus.js';

const fail = (error: unknown): never => {
  throw error;
};

function scene() {
  const sent: EventHint[] = [];
  const store = { read: () => Promise.reject(new Error('nobody listens, so nobody reads')) } as unknown as Store;
  return { sent, bus: shareEventBus(createEventBus(fail), store, (hint) => sent.push(hint), fail) };
}

function notice(worldId: string, id: number): StoredEvent {
  return { id, worldId, at: 0, event: 'system', chatId: null, data: { type: 'notice', message: '' } };
}

it('[STORE6] sends one hint per log and step to other processes', async () => {
  const { bus, sent } = scene();
  bus.publish(notice('a', 1));
  bus.publish(notice('a', 2));
  bus.publish(notice('b', 7));
  await Promise.resolve();
  bus.publish(notice('a', 3));
  await Promise.resolve();
  expect(sent).toEqual([
    { kind: 'events', worldId: 'a', id: 2 },
    { kind: 'events', worldId: 'b', id: 7 },
    { kind: 'events', worldId: 'a', id: 3 },
  ]);
});

it('sends a chunk after earlier events, and sends changes to cached data immediately', () => {
  const { bus, sent } = scene();
  bus.publish(notice('a', 1));
  const event = {
    event: 'sse',
    data: { type: 'chunk', messageId: 'm', agentName: 'A', content: 'x', offset: 0 },
  } as const;
  bus.publishUnstored('a', 'c', event);
  bus.publish({
    ...{ id: 2, worldId: 'a', at: 0, chatId: null },
    event: 'crud',
    data: { operation: 'create', entity: 'client', id: 'k' },
  });
  expect(sent).toEqual([
    { kind: 'events', worldId: 'a', id: 1 },
    { kind: 'unstored', worldId: 'a', chatId: 'c', event },
    { kind: 'events', worldId: 'a', id: 2, changed: { entity: 'client', worldId: 'a', id: 'k' } },
  ]);
});

it('[STORE6.4] tells other processes which queues changed, and hears it from them', async () => {
  const sent: EventHint[] = [];
  const marks = [[], [{ worldId: 'c', mark: '1' }]];
  const store = { read: async () => marks.shift() ?? [] } as unknown as Store;
  const bus = shareEventBus(createEventBus(fail), store, (hint) => sent.push(hint), fail);
  const heard: string[] = [];
  const end = await bus.watchQueues((worldId) => heard.push(worldId));
  bus.publish({
    ...{ id: 1, worldId: 'a', at: 0, chatId: null },
    event: 'crud',
    data: { operation: 'update', entity: 'approval', id: 'approval_1' },
  });
  bus.publish(notice('b', 1));
  await Promise.resolve();
  expect(sent).toEqual([
    { kind: 'events', worldId: 'a', id: 1, queue: true },
    { kind: 'events', worldId: 'b', id: 1 },
  ]);
  bus.heard({ kind: 'events', worldId: 'b', id: 2, queue: true });
  expect(heard).toEqual(['a', 'b']);
  // A hint was lost.
  bus.recheck();
  await expect.poll(() => heard).toEqual(['a', 'b', 'c']);
  end();
  bus.heard({ kind: 'events', worldId: 'b', id: 3, queue: true });
  expect(heard).toHaveLength(3);
});
