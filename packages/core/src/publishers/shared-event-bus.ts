import type { Store, StoredEvent } from '../ports/index.js';
import type { EventBus } from './event-bus.js';
import { createEventFeed } from './event-feed.js';

type Unstored = Parameters<EventBus['publishUnstored']>[2];

/** What processes tell each other about events: that some are in the log, or what is in no log. */
export type EventHint =
  | { kind: 'events'; worldId: string; id: number; changed?: Changed }
  | { kind: 'unstored'; worldId: string; chatId: string; event: Unstored };

/** What other processes keep in memory too, and have to look at again. */
export interface Changed {
  entity: 'client' | 'mcp-server';
  worldId: string;
  id: string;
}

export interface SharedEventBus extends EventBus {
  /** What another process hinted. */
  heard(hint: EventHint): void;
  lookAgain(): void;
}

/** A bus over several processes: the log is the truth, a hint only saves looking into it (S6). */
export function shareEventBus(
  bus: EventBus,
  store: Store,
  send: (hint: EventHint) => void,
  report: (error: unknown, what: string) => void,
): SharedEventBus {
  const feed = createEventFeed(store, (event) => bus.publish(event), report);
  const listeners = new Map<string, number>();
  /** How far each world's log has come since the last hint. A step tells several events at once, and every process hears every hint. */
  const reached = new Map<string, number>();

  function tell(): void {
    for (const [worldId, id] of reached) send({ kind: 'events', worldId, id });
    reached.clear();
  }

  return {
    publish(event) {
      feed.offer(event);
      const { worldId, id } = event;
      const changed = changedBy(event);
      if (changed !== undefined) send({ kind: 'events', worldId, id, changed });
      if (reached.size === 0) queueMicrotask(tell);
      reached.set(worldId, id);
    },
    publishUnstored(worldId, chatId, event) {
      bus.publishUnstored(worldId, chatId, event);
      // What came before it is told before it.
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
      if (hint.kind === 'events') feed.reached(hint.worldId, hint.id);
      else bus.publishUnstored(hint.worldId, hint.chatId, hint.event);
    },
    lookAgain: () => feed.lookAgain(),
  };
}

function changedBy(event: StoredEvent): Changed | undefined {
  if (event.event !== 'crud') return undefined;
  const { entity, id } = event.data;
  return entity === 'client' || entity === 'mcp-server' ? { entity, id, worldId: event.worldId } : undefined;
}

/** In pieces that fit into a hint. What is too long to be cut is left out: a chunk may be lost, the message it adds up to may not. */
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

/** Not in the middle of a character. */
function cutBetween(text: string): number {
  const middle = Math.floor(text.length / 2);
  return /[\uD800-\uDBFF]/.test(text.charAt(middle - 1)) ? middle + 1 : middle;
}
