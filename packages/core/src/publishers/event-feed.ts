import { CountersignError } from '@countersign/protocol';
import type { Store, StoredEvent } from '../ports/index.js';
import { maskLongEvents } from './mask-long-texts.js';

const PAGE = 500;
const MAX_HEARD = 10_000;

/**
 * Delivers the events of a world in order, whichever process wrote them. This process may know its own event before an earlier event from another
 * process. If it were delivered out of order, a stream that resumes would skip the earlier one (STORE6).
 */
export interface EventFeed {
  /** Adds an event that this process has stored. */
  offer(event: StoredEvent): void;
  /** Tells the feed that all events of this world up to this number are in the log. */
  reached(worldId: string, id: number): void;
  /** Starts delivering this world's events. */
  watch(worldId: string): void;
  unwatch(worldId: string): void;
  /** Checks the log of every watched world, because hints may have been lost. */
  recheck(): void;
}

interface Watched {
  /** The number of the next event to deliver; undefined until the log has been read. */
  next: number | undefined;
  /** Events from this process that arrived out of order. */
  early: Map<number, StoredEvent>;
  /** All events up to this number are in the log. */
  known: number;
  reading: boolean;
}

export function createEventFeed(
  store: Store,
  deliver: (event: StoredEvent) => void,
  report: (error: unknown, what: string) => void,
): EventFeed {
  const worlds = new Map<string, Watched>();
  /** The last known position of each log that isn't watched. A new watcher starts there and misses nothing after it. */
  const heard = new Map<string, number>();

  /** Nobody waits for these reads, so the process may close the store between two of them. */
  function reportUnlessClosed(error: unknown, what: string): void {
    if (!(error instanceof CountersignError && error.code === 'closed')) report(error, what);
  }

  function remember(worldId: string, id: number): void {
    const last = Math.max(id, heard.get(worldId) ?? 0);
    heard.delete(worldId);
    heard.set(worldId, last);
    if (heard.size > MAX_HEARD) for (const oldest of heard.keys()) return void heard.delete(oldest);
  }

  function deliverReady(watched: Watched): void {
    for (;;) {
      if (watched.next === undefined) return;
      const event = watched.early.get(watched.next);
      if (event === undefined) return;
      watched.early.delete(watched.next);
      watched.next += 1;
      deliver(event);
    }
  }

  function catchUp(worldId: string, watched: Watched): void {
    if (watched.reading) return;
    deliverReady(watched);
    if (watched.next !== undefined && watched.next > watched.known) return;
    watched.reading = true;
    read(worldId, watched).then(
      (more) => {
        watched.reading = false;
        if (more && worlds.get(worldId) === watched) catchUp(worldId, watched);
      },
      (error: unknown) => {
        // If the store is unavailable, `recheck` retries.
        watched.reading = false;
        reportUnlessClosed(error, 'failed to read events from other processes');
      },
    );
  }

  /** Delivers one page of the log. Returns true if there may be more. */
  async function read(worldId: string, watched: Watched): Promise<boolean> {
    const { next, known } = watched;
    if (next === undefined) {
      const last = await store.read((reader) => reader.lastEventId(worldId));
      // Include events that this process wrote since it started watching, even before the first read of the log.
      watched.next = Math.min(last + 1, ...watched.early.keys());
      watched.known = Math.max(watched.known, last);
      return true;
    }
    const events = await store.read((reader) => reader.events(worldId, { after: next - 1, limit: PAGE }));
    await maskLongEvents(events);
    if (worlds.get(worldId) !== watched) return false;
    for (const event of events) {
      watched.early.delete(event.id);
      watched.next = event.id + 1;
      deliver(event);
    }
    // Missing numbers belonged to a deleted chat; waiting for them would hang.
    if (events.length < PAGE) watched.next = Math.max(watched.next ?? next, known + 1);
    return true;
  }

  return {
    offer(event) {
      remember(event.worldId, event.id);
      const watched = worlds.get(event.worldId);
      if (watched === undefined) {
        deliver(event);
        return;
      }
      if (watched.next !== undefined && event.id < watched.next) return;
      watched.early.set(event.id, event);
      watched.known = Math.max(watched.known, event.id);
      catchUp(event.worldId, watched);
    },
    reached(worldId, id) {
      remember(worldId, id);
      const watched = worlds.get(worldId);
      if (watched === undefined || id <= watched.known) return;
      watched.known = id;
      catchUp(worldId, watched);
    },
    watch(worldId) {
      if (worlds.has(worldId)) return;
      const last = heard.get(worldId);
      const next = last === undefined ? undefined : last + 1;
      const watched: Watched = { next, early: new Map(), known: last ?? 0, reading: false };
      worlds.set(worldId, watched);
      catchUp(worldId, watched);
    },
    unwatch(worldId) {
      worlds.delete(worldId);
    },
    recheck() {
      for (const [worldId, watched] of worlds) {
        store
          .read((reader) => reader.lastEventId(worldId))
          .then((id) => {
            watched.known = Math.max(watched.known, id);
            catchUp(worldId, watched);
          })
          .catch((error: unknown) => reportUnlessClosed(error, 'failed to look for events from other processes'));
      }
    },
  };
}
