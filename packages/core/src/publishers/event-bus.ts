import type { WorldEvent, WorldEventName } from '@countersign/protocol';
import type { StoredEvent } from '../ports/index.js';
import { changesQueue } from './changes-queue.js';
import { toWorldEvent } from './to-world-event.js';

/** Receives a world's events. May be asynchronous; if it fails, the error is reported. */
export type EventListener = (event: WorldEvent) => void | Promise<void>;
/** Called when a listener fails (WORLD10). Must not throw. */
export type ListenerFailure = (error: unknown, event: WorldEvent) => void;

type UnstoredEvent =
  | Pick<Extract<WorldEvent, { event: 'sse' }>, 'event' | 'data'>
  | Pick<Extract<WorldEvent, { event: 'tool-output' }>, 'event' | 'data'>;

/** Delivers events to listeners in this process, in order, after they are stored. */
export interface EventBus {
  publish(event: StoredEvent): void;
  /** Publishes chunks and output. They aren't in the log, so they carry the id of the last stored event (STORE6). */
  publishUnstored(worldId: string, chatId: string, event: UnstoredEvent): void;
  /** Subscribes to all events of a world, or to one kind. The returned function unsubscribes. */
  subscribe(worldId: string, listener: EventListener, only?: WorldEventName): () => void;
  /** Calls the listener after each change of any world's waiting calls, in any process, and sometimes without one. The returned function unsubscribes. */
  watchQueues(listener: (worldId: string) => void): Promise<() => void>;
  /** Calls the listener with events that this process has stored, of any world. The returned function unsubscribes. */
  watchStored(listener: (event: StoredEvent) => void): () => void;
  /** Calls the listeners of `watchQueues`. */
  queueChanged(worldId: string): void;
}

interface Subscription {
  listener: EventListener;
  only: WorldEventName | undefined;
}

export function createEventBus(onFailure: ListenerFailure): EventBus {
  const subscriptions = new Map<string, Set<Subscription>>();
  const lastIds = new Map<string, number>();
  const queueListeners = new Set<(worldId: string) => void>();
  const storedListeners = new Set<(event: StoredEvent) => void>();

  function deliverAll(worldId: string, name: WorldEventName, make: () => WorldEvent): void {
    const here = subscriptions.get(worldId);
    if (here === undefined) return;
    let event: WorldEvent | undefined;
    for (const { listener, only } of [...here]) {
      if (only !== undefined && only !== name) continue;
      // Masking is expensive: do it once, and only if there is a listener.
      event ??= frozen(make());
      deliver(listener, event, onFailure);
    }
  }

  function queueChanged(worldId: string): void {
    for (const listener of [...queueListeners]) listener(worldId);
  }

  return {
    publish(event) {
      lastIds.set(event.worldId, event.id);
      deliverAll(event.worldId, event.event, () => toWorldEvent(event));
      if (queueListeners.size > 0 && changesQueue(event)) queueChanged(event.worldId);
      for (const listener of storedListeners) listener(event);
    },
    watchStored(listener) {
      storedListeners.add(listener);
      return () => storedListeners.delete(listener);
    },
    queueChanged,
    async watchQueues(listener) {
      queueListeners.add(listener);
      return () => queueListeners.delete(listener);
    },
    publishUnstored(worldId, chatId, event) {
      deliverAll(worldId, event.event, () => ({ id: lastIds.get(worldId) ?? 0, worldId, chatId, ...event }));
    },
    subscribe(worldId, listener, only) {
      const subscription = { listener, only };
      const here = subscriptions.get(worldId) ?? new Set();
      here.add(subscription);
      subscriptions.set(worldId, here);
      return () => {
        here.delete(subscription);
        if (here.size === 0 && subscriptions.get(worldId) === here) subscriptions.delete(worldId);
      };
    },
  };
}

/** All listeners get the same object, so it is frozen: no listener may change what the others see. */
function frozen<T extends object>(value: T): T {
  if (Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const key in value) {
    const member = value[key];
    if (typeof member === 'object' && member !== null) frozen(member);
  }
  return value;
}

/** Reports a listener that throws or rejects, without affecting the others (WORLD10). */
function deliver(listener: EventListener, event: WorldEvent, onFailure: ListenerFailure): void {
  try {
    const pending: unknown = listener(event);
    // Handles thenables too: their rejections would otherwise be unhandled.
    if (pending !== undefined) Promise.resolve(pending).catch((error: unknown) => onFailure(error, event));
  } catch (error) {
    onFailure(error, event);
  }
}
