import type { Store, StoredEvent } from '../ports/index.js';
import { changesQueue } from './changes-queue.js';
import type { EventBus } from './event-bus.js';
import { createEventFeed } from './event-feed.js';
import { createQueueMarks } from './queue-marks.js';

type Unstored = Parameters<EventBus['publishUnstored']>[2];

/** Hints between processes: new events in the log, or an event that isn't logged. */
export type EventHint =
  /** `queue`: the waiting calls of the world changed. */
  | { kind: 'events'; worldId: string; id: number; changed?: Changed; queue?: true }
  | { kind: 'unstored'; worldId: string; chatId: string; event: Unstored };

/** Data that other processes cache and must reload. */
export interface Changed {
  entity: 'client' | 'mcp-server';
  worldId: string;
  id: string;
}

export interface SharedEventBus extends EventBus {
  /** Handles a hint from another process. */
  heard(hint: EventHint): void;
  recheck(): void;
}

/** A bus across several processes. The log is authoritative; a hint only saves polling it (STORE6). */
export function shareEventBus(
  bus: EventBus,
  store: Store,
  send: (hint: EventHint) => void,
  report: (error: unknown, what: string) => void,
): SharedEventBus {
  const feed = createEventFeed(store, (event) => bus.publish(event), report);
  const listeners = new Map<string, number>();
  /** How far each world's log has advanced since the last hint. Hints are batched, because every process receives every hint. */
  const reached = new Map<string, number>();
  const queues = new Set<string>();
  const marks = createQueueMarks(store, (worldId) => bus.queueChanged(worldId), report);

  function tell(): void {
    for (const [worldId, id] of reached)
      send({ kind: 'events', worldId, id, ...(queues.has(worldId) ? { queue: true } : {}) });
    reached.clear();
    queues.clear();
  }

  return {
    publish(event) {
      feed.offer(event);
      const { worldId, id } = event;
      const changed = changedBy(event);
      if (changed !== undefined) send({ kind: 'events', worldId, id, changed });
      if (reached.size === 0) queueMicrotask(tell);
      reached.set(worldId, id);
      if (changesQueue(event)) queues.add(worldId);
    },
    queueChanged: (worldId) => bus.queueChanged(worldId),
    watchStored: (listener) => bus.watchStored(listener),
    async watchQueues(listener) {
      const end = await bus.watchQueues(listener);
      try {
        const release = await marks.hold();
        return () => {
          end();
          release();
        };
      } catch (error) {
        end();
        throw error;
      }
    },
    publishUnstored(worldId, chatId, event) {
      bus.publishUnstored(worldId, chatId, event);
      // Announce earlier events first.
      tell();
      send({ kind: 'unstored', worldId, chatId, event });
    },
    subscribe(worldId, listener, only) {
      listeners.set(worldId, (listeners.get(worldId) ?? 0) + 1);
      const end = bus.subscribe(worldId, listener, only);
      feed.watch(worldId);
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        end();
        const left = (listeners.get(worldId) ?? 1) - 1;
        if (left > 0) {
          listeners.set(worldId, left);
          return;
        }
        listeners.delete(worldId);
        feed.unwatch(worldId);
      };
    },
    heard(hint) {
      if (hint.kind === 'events') {
        feed.reached(hint.worldId, hint.id);
        if (hint.queue === true) bus.queueChanged(hint.worldId);
      } else bus.publishUnstored(hint.worldId, hint.chatId, hint.event);
    },
    recheck() {
      feed.recheck();
      marks.recheck();
    },
  };
}

function changedBy(event: StoredEvent): Changed | undefined {
  if (event.event !== 'crud') return undefined;
  const { entity, id } = event.data;
  return entity === 'client' || entity === 'mcp-server' ? { entity, id, worldId: event.worldId } : undefined;
}

/** Splits a hint to fit the limit. Drops a hint that can't be split: a chunk may be lost, but not the final message. */
export function piecesOf(hint: EventHint, limitBytes: number): string[] {
  const text = JSON.stringify(hint);
  if (Buffer.byteLength(text) <= limitBytes) return [text];
  if (hint.kind === 'events') return [];
  const halves = halve(hint.event);
  return halves.flatMap((event) => piecesOf({ ...hint, event }, limitBytes));
}

function halve(event: Unstored): Unstored[] {
  const { content } = event.data;
  if (content === undefined || content.length < 2) return [];
  const middle = cutBetween(content);
  const [head, tail] = [content.slice(0, middle), content.slice(middle)];
  if (event.event === 'tool-output') {
    return [head, tail].map((part) => ({ ...event, data: { ...event.data, content: part } }));
  }
  const { offset } = event.data;
  const second = offset === undefined ? {} : { offset: offset + head.length };
  return [
    { ...event, data: { ...event.data, content: head } },
    { ...event, data: { ...event.data, content: tail, ...second } },
  ];
}

/** Doesn't split a surrogate pair. */
function cutBetween(text: string): number {
  const middle = Math.floor(text.length / 2);
  return /[\uD800-\uDBFF]/.test(text.charAt(middle - 1)) ? middle + 1 : middle;
}
