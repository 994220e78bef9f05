import type { NewClient, ReadFrame, WorldEvent } from '@countersign/protocol';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ClientError, isTransient } from './client-error.js';
import { backOff, LONGEST_PAUSE_MS, pause, type Clock } from '../clock.js';
import { failure } from './request.js';
import { browserWakes, type Wakes } from '../wakes.js';

/** State of the event stream. While `reconnecting`, the view may be outdated, but nothing is lost. */
export type Connection =
  | { kind: 'connecting' }
  | { kind: 'open' }
  /** `retryAt` is in milliseconds, by the local clock. */
  | { kind: 'reconnecting'; attempt: number; retryAt: number; why: string }
  /** Ended: closed by us, or rejected with an HTTP status and a message that a person has to act on. */
  | { kind: 'closed'; why?: string; status?: number };

export type StreamItem<Event = WorldEvent> =
  | { readonly kind: 'event'; readonly event: Event }
  /** The log no longer contains our position: reload everything derived from events. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'connection'; readonly connection: Connection }
  /** An unreadable frame. It is skipped and the stream continues. */
  | { readonly kind: 'malformed'; readonly detail: string };

export interface EventsOptions {
  /** Only this chat's events. */
  chat?: string;
  /** Resume after this event id. If absent, start with new events. */
  after?: number;
  signal?: AbortSignal;
  /**
   * The client to register before the stream opens (CALL13). Without it, an unattended world would deny all calls that need approval even while a
   * person is watching.
   */
  as?: NewClient;
  /**
   * Registers a callback that ends the wait before a reconnect. By default, it is called when the browser is back online or its page becomes
   * visible again.
   */
  wakes?: Wakes;
}

/** How a stream connects to its server. */
export interface StreamSource<Event = WorldEvent> {
  read(frame: EventSourceMessage): ReadFrame<Event>;
  /** The position after this event. Absent if the stream doesn't resume. */
  idOf?(event: Event): number;
  /** Rejects only with a `ClientError`. */
  open(after: number | undefined, signal: AbortSignal): Promise<Response>;
  clock: Clock;
  random: () => number;
}

/** The server sends a heartbeat every 15 seconds; after three missed ones the connection is considered lost. */
const SILENCE_TIMEOUT_MS = 45_000;
/** More than the longest escaped message. Limits memory if a server never ends a frame. */
const MAX_FRAME_LENGTH = 16 * 1024 * 1024;

/** Items that arrived together, so that a view renders once instead of once per item. */
export type Batch<Event = WorldEvent> = readonly StreamItem<Event>[];

/** Reads events across reconnects until the signal aborts or the server rejects the stream. */
export async function* streamEvents<Event>(
  source: StreamSource<Event>,
  options: Pick<EventsOptions, 'after' | 'signal' | 'wakes'>,
): AsyncGenerator<Batch<Event>, void, undefined> {
  const { signal, wakes = browserWakes } = options;
  let last = options.after;
  let failures = 0;
  yield told({ kind: 'connecting' });
  while (!isAborted(signal)) {
    let why = 'The server ended the stream.';
    let retryAfterMs = 0;
    const startedAt = source.clock.now();
    try {
      for await (const batch of readOnce(source, last, signal, wakes)) {
        for (const item of batch) {
          if (item.kind !== 'event') continue;
          failures = 0;
          last = source.idOf?.(item.event);
        }
        yield batch;
      }
    } catch (error) {
      const cause = error instanceof ClientError ? error : failure(error, signal);
      if (!isTransient(cause)) {
        if (cause.kind === 'aborted') break;
        yield told({ kind: 'closed', why: cause.detail, status: cause.status });
        return;
      }
      why = cause.detail;
      retryAfterMs = cause.retryAfterMs ?? 0;
    }
    if (isAborted(signal)) break;
    // A connection that lasted this long is considered a success, even without events.
    if (source.clock.now() - startedAt > LONGEST_PAUSE_MS) failures = 0;
    const wait = Math.max(backOff(failures, source.random), retryAfterMs);
    failures += 1;
    yield told({ kind: 'reconnecting', attempt: failures, retryAt: source.clock.now() + wait, why });
    await pause(source.clock, wait, signal, wakes);
  }
  if (isAborted(signal)) yield told({ kind: 'closed' });
}

/** Yields items one by one. */
export async function* flatten(batches: AsyncIterable<Batch>): AsyncGenerator<StreamItem, void, undefined> {
  for await (const batch of batches) yield* batch;
}

function told(connection: Connection): Batch<never> {
  return [{ kind: 'connection', connection }];
}

/** A function, because TypeScript assumes that a signal not aborted before an `await` is not aborted after it. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** Reads one connection. Returns when the server ends it; throws when it breaks. */
async function* readOnce<Event>(
  source: StreamSource<Event>,
  after: number | undefined,
  signal: AbortSignal | undefined,
  wakes: Wakes,
): AsyncGenerator<Batch<Event>, void, undefined> {
  const connection = new AbortController();
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  // Abort both: fetch may no longer react to its signal, and the pending read would wait forever.
  const cut = (): void => {
    connection.abort();
    reader?.cancel().catch(() => undefined);
  };
  signal?.addEventListener('abort', cut, { once: true });
  const silence = watchSilence(source.clock, cut, wakes);
  try {
    const response = await source.open(after, connection.signal);
    if (response.body === null) return;
    yield told({ kind: 'open' });
    const items: StreamItem<Event>[] = [];
    const parser = createParser({
      maxBufferSize: MAX_FRAME_LENGTH,
      onEvent: (frame) => {
        const read = source.read(frame);
        if (read.kind !== 'unknown') items.push(read);
      },
    });
    const decoder = new TextDecoder();
    reader = response.body.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        connection.signal.throwIfAborted();
        if (done) return;
        silence.broken();
        parser.feed(decoder.decode(value, { stream: true }));
        if (items.length > 0) yield items.splice(0);
      }
    } finally {
      // Close the connection if the consumer stops reading early.
      reader.cancel().catch(() => undefined);
    }
  } catch (error) {
    throw error instanceof ClientError && error.kind !== 'aborted' ? error : failure(error, signal);
  } finally {
    silence.end();
    signal?.removeEventListener('abort', cut);
    connection.abort();
  }
}

/** Detects half-open connections, which never report an error. */
function watchSilence(clock: Clock, cut: () => void, wakes: Wakes): { broken(): void; end(): void } {
  let heardAt = clock.now();
  let cancel = clock.after(SILENCE_TIMEOUT_MS, check);
  // Check on wake-up: timers stop while a computer sleeps.
  const stopListening = wakes(() => {
    if (clock.now() - heardAt >= SILENCE_TIMEOUT_MS) cut();
  });
  // One timer that checks the clock, instead of one per chunk.
  function check(): void {
    const left = heardAt + SILENCE_TIMEOUT_MS - clock.now();
    if (left <= 0) cut();
    else cancel = clock.after(left, check);
  }
  return {
    broken() {
      heardAt = clock.now();
    },
    end() {
      cancel();
      stopListening();
    },
  };
}
