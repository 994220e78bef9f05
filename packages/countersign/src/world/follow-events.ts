import { maskLongEvents, readEventPage, toWorldEvent, type Engine } from '@countersign/core';
import { onAbort } from '@countersign/core/ports';
import { CountersignError, isStoredEvent, removedBy, type WorldEvent } from '@countersign/protocol';
import { isObject, text } from '../options/check-input.js';

/** Where an iteration over events starts, and what it includes. */
export interface EventsOptions {
  /** Continue after the event with this id; 0 starts with the world's first event. Default: new events only. */
  after?: number;
  /** Only this chat's events. */
  chatId?: string;
  /** Aborting the signal ends the iteration. */
  signal?: AbortSignal;
}

/** How many events a slow reader may be behind before it reads from the log instead. */
const MAX_QUEUED = 1_000;
const PAGE = 200;

/**
 * The events of a world in order, each stored event exactly once. Reads from the log until it has caught up, then passes on live events. Never
 * buffers more than `MAX_QUEUED` events, however slow the reader is.
 */
export function followEvents(engine: Engine, worldId: string, given: EventsOptions = {}): AsyncIterable<WorldEvent> {
  const options = checkEvents(given);
  // Find the start now, not at the first read: an event between the two must not be missed.
  const start = findStart(engine, worldId, options.after);
  start.catch(() => undefined);
  return { [Symbol.asyncIterator]: () => iterate(engine, worldId, options, start) };
}

async function* iterate(
  { runtime, closing }: Engine,
  worldId: string,
  { chatId, signal }: EventsOptions,
  start: Promise<number>,
): AsyncGenerator<WorldEvent, void, undefined> {
  let queue: WorldEvent[] = [];
  let isBehind = true;
  let hasEnded = signal?.aborted === true || closing.aborted;
  const isOver = (): boolean => hasEnded;
  let wake = (): void => undefined;
  const finish = (): void => {
    hasEnded = true;
    wake();
  };
  const endings = [
    onAbort(closing, finish),
    signal === undefined ? () => undefined : onAbort(signal, finish),
    runtime.bus.subscribe(worldId, (event) => {
      queue.push(event);
      if (queue.length > MAX_QUEUED) {
        queue = [];
        isBehind = true;
      }
      wake();
    }),
  ];
  try {
    let position = await start;
    while (!isOver()) {
      if (isBehind) {
        isBehind = false;
        const page = await readPage(runtime, worldId, { chatId, after: position });
        if (page === undefined) return;
        for (const event of page.events) {
          if (isOver()) return;
          position = event.id;
          yield event;
        }
        if (page.events.length === PAGE) isBehind = true;
        else position = Math.max(position, page.lastEventId);
        continue;
      }
      const event = queue.shift();
      if (event === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (isOver() || isBehind || queue.length > 0) resolve();
        });
        continue;
      }
      const isStored = isStoredEvent(event);
      if (event.id < position || (isStored && event.id === position)) continue;
      if (isStored && event.id > position + 1) {
        // Another process wrote the missing events. The log contains them, and this one.
        isBehind = true;
        continue;
      }
      if (isStored) position = event.id;
      const removed = removedBy(event);
      if (chatId === undefined || event.chatId === chatId || removed?.id === chatId) yield event;
      if (removed !== undefined && (removed.entity === 'world' || removed.id === chatId)) return;
    }
  } finally {
    for (const end of endings) end();
  }
}

/** Undefined if the world or chat was deleted. */
async function readPage(
  { store }: Engine['runtime'],
  worldId: string,
  { chatId, after }: { chatId: string | undefined; after: number },
): Promise<{ events: WorldEvent[]; lastEventId: number } | undefined> {
  const page = await store.read((reader) => readEventPage(reader, worldId, { chatId, after, limit: PAGE }));
  if (page === undefined) return undefined;
  await maskLongEvents(page.events);
  return { lastEventId: page.lastEventId, events: page.events.map(toWorldEvent) };
}

/** An id beyond the end is from a different log, for example from before a restore: events would be missing without an error. */
async function findStart({ runtime }: Engine, worldId: string, after: number | undefined): Promise<number> {
  const last = await runtime.store.read((reader) => reader.lastEventId(worldId));
  if (after !== undefined && after > last) {
    const detail = `after: this world has no event ${after} yet. Read its current state, then start without "after"`;
    throw new CountersignError('stale', detail, { field: 'after' });
  }
  return after ?? last;
}

function checkEvents(given: EventsOptions): EventsOptions {
  if (!isObject(given)) throw new CountersignError('invalid', 'options: must be an object', { field: 'options' });
  const { after, chatId, signal } = given;
  if (after !== undefined && (!Number.isSafeInteger(after) || after < 0)) {
    throw new CountersignError('invalid', 'after: must be the id of an event, or 0', { field: 'after' });
  }
  if (chatId !== undefined) text(chatId, 'chatId');
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new CountersignError('invalid', 'signal: must be an AbortSignal', { field: 'signal' });
  }
  return given;
}
