import { ClientError, isTransient } from './http/client-error.js';
import type { Client } from './http/client.js';
import { backOff, pause } from './clock.js';
import type { Batch, Connection } from './http/events.js';
import { browserWakes, type Wakes } from './wakes.js';

/** A feed listener. After `started`, it gets every event past that position; data loaded earlier is outdated. */
interface FeedListener {
  started(position: number): void;
  heard(batch: Batch): void;
}

/** One event stream of a world or chat, shared by any number of views. */
export interface Feed {
  /** Calls the listener immediately with the current state, then with each event. The returned function unsubscribes. */
  subscribe(listener: FeedListener): () => void;
  /** Ends the wait before a retry: wake-ups from the browser, and `retryNow`. */
  wakes: Wakes;
  /** Retries immediately, even after the server rejected the stream. */
  retryNow(): void;
  close(): void;
}

/** Opens the stream and keeps it open. After a reset, it starts again at a new position. */
export function openFeed(client: Client, world: string, chat?: string): Feed {
  const over = new AbortController();
  const listeners = new Set<FeedListener>();
  const sleepers = new Set<() => void>();
  let position: number | undefined;
  let connection: Connection = { kind: 'connecting' };

  const wakes: Wakes = (wake) => {
    sleepers.add(wake);
    const stop = browserWakes(wake);
    return () => {
      sleepers.delete(wake);
      stop();
    };
  };

  function tell(batch: Batch): void {
    for (const item of batch) {
      if (item.kind === 'connection') ({ connection } = item);
      if (item.kind === 'event') position = Math.max(position ?? 0, item.event.id);
    }
    for (const listener of [...listeners]) listener.heard(batch);
  }

  /** The end of the log. Undefined if the feed was closed or rejected. */
  async function findPosition(): Promise<number | undefined> {
    for (let failures = 0; !over.signal.aborted; failures += 1) {
      try {
        const options = { signal: over.signal };
        const shown =
          chat === undefined ? (await client.world(world, options)).value : await client.chat(world, chat, options);
        return shown.lastEventId ?? 0;
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        if (error.kind === 'aborted') return undefined;
        if (!isTransient(error)) {
          tell([{ kind: 'connection', connection: { kind: 'closed', why: error.detail, status: error.status } }]);
          return undefined;
        }
        const wait = Math.max(backOff(failures, client.random), error.retryAfterMs ?? 0);
        const retryAt = client.clock.now() + wait;
        const why = error.detail;
        tell([{ kind: 'connection', connection: { kind: 'reconnecting', attempt: failures + 1, retryAt, why } }]);
        await pause(client.clock, wait, over.signal, wakes);
      }
    }
    return undefined;
  }

  async function run(): Promise<void> {
    for (;;) {
      position = await findPosition();
      if (position === undefined) return;
      for (const listener of [...listeners]) listener.started(position);
      const where = { after: position, signal: over.signal, wakes, ...(chat === undefined ? {} : { chat }) };
      if (!(await follow(client.eventBatches(world, where)))) return;
    }
  }

  /** Resolves to true if the log no longer contains our position. */
  async function follow(batches: AsyncIterable<Batch>): Promise<boolean> {
    for await (const batch of batches) {
      tell(batch);
      if (batch.some(({ kind }) => kind === 'reset')) return true;
    }
    return false;
  }

  let isRunning = false;
  function start(): void {
    isRunning = true;
    run()
      .catch((error: unknown) => {
        tell([{ kind: 'connection', connection: { kind: 'closed', why: String(error) } }]);
      })
      .finally(() => {
        isRunning = false;
      });
  }
  start();

  return {
    subscribe(listener) {
      listeners.add(listener);
      listener.heard([{ kind: 'connection', connection }]);
      if (position !== undefined) listener.started(position);
      return () => listeners.delete(listener);
    },
    wakes,
    retryNow() {
      for (const wake of [...sleepers]) wake();
      // Retry even after a final rejection: a person may have fixed the cause.
      if (isRunning || over.signal.aborted) return;
      tell([{ kind: 'connection', connection: { kind: 'connecting' } }]);
      start();
    },
    close() {
      over.abort();
    },
  };
}
