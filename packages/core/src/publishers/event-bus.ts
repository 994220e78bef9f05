import type { WorldEvent } from '@countersign/protocol';
import type { StoredEvent } from '../ports/index.js';
import { toWorldEvent } from './to-world-event.js';

export type EventListener = (event: WorldEvent) => void | Promise<void>;
/** Told when a listener fails (M10). It must not throw. */
export type ListenerFailure = (error: unknown, event: WorldEvent) => void;

type UnstoredEvent =
  | Pick<Extract<WorldEvent, { event: 'sse' }>, 'event' | 'data'>
  | Pick<Extract<WorldEvent, { event: 'tool-output' }>, 'event' | 'data'>;

/** Hands events to whoever listens in this process, in order, after they are stored. */
export interface EventBus {
  publish(event: StoredEvent): void;
  /** Chunks and output: not in the log, so they carry the id of the last event that is (S6). */
  publishUnstored(worldId: string, chatId: string, event: UnstoredEvent): void;
  /** Hears everything of one world. The returned function ends it. */
  subscribe(worldId: string, listener: EventListener): () => void;
}

export function createEventBus(onFailure: ListenerFailure): EventBus {
  const listeners = new Map<string, Set<EventListener>>();
  const lastIds = new Map<string, number>();

  function deliverAll(worldId: string, make: () => WorldEvent): void {
    const here = listeners.get(worldId);
    // Masking costs something: not done for nobody.
    if (here === undefined) return;
    const event = make();
    for (const listener of [...here]) deliver(listener, event, onFailure);
  }

  return {
    publish(event) {
      lastIds.set(event.worldId, event.id);
      deliverAll(event.worldId, () => toWorldEvent(event));
    },
    publishUnstored(worldId, chatId, event) {
      deliverAll(worldId, () => ({ id: lastIds.get(worldId) ?? 0, worldId, chatId, ...event }));
    },
    subscribe(worldId, listener) {
      // Wrapped, so that one function subscribed twice is two subscriptions that end separately.
      const own: EventListener = (event) => listener(event);
      const here = listeners.get(worldId) ?? new Set();
      here.add(own);
      listeners.set(worldId, here);
      return () => {
        here.delete(own);
        if (here.size === 0 && listeners.get(worldId) === here) listeners.delete(worldId);
      };
    },
  };
}

/** A listener that throws or rejects is reported with its event and holds up nobody else (M10). */
function deliver(listener: EventListener, event: WorldEvent, onFailure: ListenerFailure): void {
  try {
    const pending: unknown = listener(event);
    // Not only our own kind of promise: the failure of any other would be heard by nobody.
    if (pending !== undefined) Promise.resolve(pending).catch((error: unknown) => onFailure(error, event));
  } catch (error) {
    onFailure(error, event);
  }
}
