import { readFrame, type NewClient, type WorldEvent } from '@countersign/protocol';
import { createParser } from 'eventsource-parser';
import { ClientError, isPassing } from './client-error.js';
import { backOff, LONGEST_PAUSE_MS, pause, type Clock } from './clock.js';
import { failure } from './request.js';
import type { Connection } from './state.js';
import { browserWakes, type Wakes } from './wakes.js';

/** What a stream tells. */
export type StreamItem =
  | { readonly kind: 'event'; readonly event: WorldEvent }
  /** The log does not reach back to where we were: whatever was built from events has to be loaded anew. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'connection'; readonly connection: Connection }
  /** A frame that could not be read. It is left out and the stream goes on. */
  | { readonly kind: 'malformed'; readonly detail: string };

export interface EventsOptions {
  /** Only this chat. */
  chat?: string;
  /** Go on after this number of the log. Absent: from now on. */
  after?: number;
  signal?: AbortSignal;
  /**
   * Who listens (A13): the client is registered before the stream is opened, and tried again like it. A stream that is open without
   * it would let a world deny everything while a person looks on.
   */
  as?: NewClient;
  /**
   * Is given what to call when waiting for the next try makes no sense any more, and gives what ends that. Default: a browser's
   * network is back, or its page is looked at again.
   */
  wakes?: Wakes;
}

/** How a stream reaches its server. */
export interface StreamSource {
  worldId: string;
  /** Rejects with a `ClientError` and nothing else. */
  open(after: number | undefined, signal: AbortSignal): Promise<Response>;
  clock: Clock;
  random: () => number;
}

/** A server says something at least every fifteen seconds; after three times that it is not there any more. */
const LONGEST_SILENCE_MS = 45_000;
/** More than the longest message escaped: a server that never ends a frame must not fill the memory. */
const LONGEST_FRAME = 16 * 1024 * 1024;

/** What came together over the network: shown together, it costs a view one drawing instead of many. */
export type Batch = readonly StreamItem[];

/** Reads until the signal is aborted or the server says no for good, across any number of cuts. */
export async function* streamEvents(
  source: StreamSource,
  options: EventsOptions,
): AsyncGenerator<Batch, void, undefined> {
  const { signal, wakes = browserWakes } = options;
  let last = options.after;
  let failures = 0;
  yield told({ kind: 'connecting' });
  while (!isAborted(signal)) {
    let why = 'The server ended the stream.';
    let retryAfterMs = 0;
    const begun = source.clock.now();
    try {
      for await (const batch of readOnce(source, last, signal, wakes)) {
        for (const item of batch) {
          if (item.kind !== 'event') continue;
          failures = 0;
          last = item.event.id;
        }
        yield batch;
      }
    } catch (error) {
      const cause = error instanceof ClientError ? error : failure(error, signal);
      if (!isPassing(cause)) {
        if (cause.kind !== 'aborted') yield told({ kind: 'closed', why: cause.detail, status: cause.status });
        break;
      }
      why = cause.detail;
      retryAfterMs = cause.retryAfterMs ?? 0;
    }
    if (isAborted(signal)) break;
    // One that lasted was a good one, also if nothing happened meanwhile.
    if (source.clock.now() - begun > LONGEST_PAUSE_MS) failures = 0;
    const wait = Math.max(backOff(failures, source.random), retryAfterMs);
    failures += 1;
    yield told({ kind: 'reconnecting', attempt: failures, retryAt: source.clock.now() + wait, why });
    await pause(source.clock, wait, signal, wakes);
  }
  if (isAborted(signal)) yield told({ kind: 'closed' });
}

/** One by one, for who does not draw. */
export async function* flatten(batches: AsyncIterable<Batch>): AsyncGenerator<StreamItem, void, undefined> {
  for await (const batch of batches) yield* batch;
}

function told(connection: Connection): Batch {
  return [{ kind: 'connection', connection }];
}

/** As a call: the compiler would hold that a signal which was not aborted before an `await` is not aborted after it either. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** One connection. Ends when the server ends it; throws when it is cut. */
async function* readOnce(
  source: StreamSource,
  after: number | undefined,
  signal: AbortSignal | undefined,
  wakes: Wakes,
): AsyncGenerator<Batch, void, undefined> {
  const connection = new AbortController();
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  // Both: the way that a signal takes through `fetch` may be gone by then, and what waits for the next bytes would wait for ever.
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
    const items: StreamItem[] = [];
    const parser = createParser({
      maxBufferSize: LONGEST_FRAME,
      onEvent: (frame) => {
        const read = readFrame(frame, source.worldId);
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
      // Whoever stops reading in the middle must not leave a connection open behind them.
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

/** Cuts a connection on which nothing comes any more: half-open ones never say so themselves. */
function watchSilence(clock: Clock, cut: () => void, wakes: Wakes): { broken(): void; end(): void } {
  let heardAt = clock.now();
  let cancel = clock.after(LONGEST_SILENCE_MS, check);
  // Timers stand still while a computer sleeps.
  const stopListening = wakes(() => {
    if (clock.now() - heardAt >= LONGEST_SILENCE_MS) cut();
  });
  // One timer that looks at the time, instead of one for each chunk.
  function check(): void {
    const left = heardAt + LONGEST_SILENCE_MS - clock.now();
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
