import type { Batch, Client, Connection, EventsOptions, StreamItem } from '@countersign/client';
import type { NewClient, WorldEvent } from '@countersign/protocol';
import { createQueue } from './queue.js';
import type { Tabs } from './tabs.js';

/** Messages between tabs. The channel's name includes the version, because a tab may be older than its server. */
type Note =
  /** "I have everything up to here." The tab with the stream continues from there. Also asks whether any tab has the stream. */
  | { kind: 'hello'; tab: string; after: number }
  | { kind: 'so-far'; tab: string; events: readonly WorldEvent[]; connection: Connection }
  | { kind: 'too-far'; tab: string }
  | { kind: 'leading' }
  | { kind: 'batch'; before: number; items: Batch }
  /** The wait before this attempt is over. Timers in a hidden tab may be a minute late. */
  | { kind: 'wake'; attempt: number };

/** The number of events kept for a tab that joins. A tab that is further behind reloads. */
const KEPT = 300;
/** How often a tab without a stream checks that the tab with the stream is alive, and how long it waits for an answer. */
const ASK_EVERY_MS = 30_000;
const PATIENCE_MS = 3000;

/**
 * A client whose tabs share one stream per world, because a browser has only six connections per server. If the reading tab disappears, another
 * one continues without a gap. `as` registers the reading tab as a client (CALL13).
 */
export function shareStreams(client: Client, tabs: Tabs, as?: NewClient): Client {
  return {
    ...client,
    eventBatches: (world, options = {}) =>
      options.chat === undefined && options.after !== undefined
        ? follow(client, tabs, world, { ...options, after: options.after }, as)
        : client.eventBatches(world, options),
  };
}

async function* follow(
  client: Client,
  tabs: Tabs,
  world: string,
  { after, signal, wakes }: EventsOptions & { after: number },
  as: NewClient | undefined,
): AsyncGenerator<Batch, void, undefined> {
  const name = `countersign.events.1.${world}`;
  const tab = crypto.getRandomValues(new Uint32Array(4)).join('-');
  const over = new AbortController();
  const heard = createQueue<Batch>();
  const sleepers = new Set<() => void>();
  const recent = createRecent(after);
  let connection: Connection = { kind: 'connecting' };
  let isLeading = false;
  /** False until missed events have arrived: forwarding before that would leave a gap. */
  let isInStep = false;
  let turn = new AbortController();
  let byForce = false;
  let cancelAnswer = (): void => undefined;
  let cancelWake = (): void => undefined;

  const channel = tabs.openChannel(name, (note) => {
    if (isNote(note)) take(note);
  });

  function take(note: Note): void {
    switch (note.kind) {
      case 'hello':
        if (isLeading) answer(note.tab, note.after);
        return;
      case 'leading':
        if (!isLeading) hello();
        return;
      case 'so-far':
        if (isLeading || note.tab !== tab) return;
        cancelAnswer();
        isInStep = true;
        pass([{ kind: 'connection', connection: note.connection }, ...note.events.map(toItem)]);
        return;
      case 'too-far':
        if (isLeading || note.tab !== tab) return;
        cancelAnswer();
        pass([{ kind: 'reset' }]);
        return;
      case 'batch':
        if (isLeading || !isInStep) return;
        if (note.before > recent.last()) hello();
        else pass(note.items);
        return;
      case 'wake':
        if (isLeading && connection.kind === 'reconnecting' && connection.attempt === note.attempt) wakeAll();
    }
  }

  function wakeAll(): void {
    for (const wake of [...sleepers]) wake();
  }

  /** Passes events to this tab's views, except those already delivered. */
  function pass(items: Batch): void {
    const fresh = items.filter((item) => item.kind !== 'event' || item.event.id >= recent.last());
    for (const item of fresh) {
      if (item.kind === 'connection') ({ connection } = item);
      if (item.kind === 'event') recent.keep(item.event);
    }
    if (fresh.length > 0) heard.push(fresh);
    cancelWake();
    if (isLeading || connection.kind !== 'reconnecting') return;
    const { attempt, retryAt } = connection;
    cancelWake = client.clock.after(Math.max(0, retryAt - client.clock.now()), () => {
      channel.tell({ kind: 'wake', attempt } satisfies Note);
    });
  }

  function hello(): void {
    isInStep = false;
    ask();
  }

  /** Asks for missed events, and whether any tab has the stream. If there is no answer, takes over the stream. */
  function ask(): void {
    cancelAnswer();
    cancelAnswer = client.clock.after(PATIENCE_MS, () => {
      byForce = true;
      turn.abort();
    });
    channel.tell({ kind: 'hello', tab, after: recent.last() } satisfies Note);
  }

  function answer(to: string, from: number): void {
    const events = recent.since(from);
    const note: Note =
      events === undefined ? { kind: 'too-far', tab: to } : { kind: 'so-far', tab: to, events, connection };
    channel.tell(note);
  }

  async function lead(lost: AbortSignal): Promise<void> {
    isLeading = true;
    cancelAnswer();
    cancelWake();
    const ended = new AbortController();
    const end = (): void => ended.abort();
    lost.addEventListener('abort', end, { once: true });
    over.signal.addEventListener('abort', end, { once: true });
    if (lost.aborted || over.signal.aborted) end();
    try {
      channel.tell({ kind: 'leading' } satisfies Note);
      const batches = client.eventBatches(world, {
        after: recent.last(),
        signal: ended.signal,
        ...(as === undefined ? {} : { as }),
        wakes: (wake) => {
          sleepers.add(wake);
          const stop = wakes?.(wake);
          return () => {
            sleepers.delete(wake);
            stop?.();
          };
        },
      });
      for await (const items of batches) {
        const before = recent.last();
        const isOver = items.some((item) => item.kind === 'connection' && item.connection.kind === 'closed');
        // If another tab took the lock, continue as a follower. If the server rejected the stream, the other tabs try themselves.
        if (isOver && lost.aborted) return;
        pass(items);
        if (!isOver) channel.tell({ kind: 'batch', before, items } satisfies Note);
        else stop();
      }
    } finally {
      isLeading = false;
      if (as !== undefined) client.forgetClient(world);
    }
  }

  async function compete(): Promise<void> {
    while (!over.signal.aborted) {
      turn = new AbortController();
      const how = { signal: turn.signal, byForce };
      byForce = false;
      await tabs.hold(name, how, lead);
      if (!over.signal.aborted) hello();
    }
  }

  function stop(): void {
    over.abort();
    turn.abort();
    heard.end();
  }
  signal?.addEventListener('abort', stop, { once: true });
  const stopWaking = wakes?.(() => {
    if (isLeading) return;
    if (connection.kind === 'reconnecting') channel.tell({ kind: 'wake', attempt: connection.attempt } satisfies Note);
    hello();
  });
  let cancelAsking = client.clock.after(ASK_EVERY_MS, askAgain);
  function askAgain(): void {
    if (!isLeading) ask();
    cancelAsking = client.clock.after(ASK_EVERY_MS, askAgain);
  }
  try {
    if (signal?.aborted === true) return;
    hello();
    compete().catch((error: unknown) => {
      heard.push([{ kind: 'connection', connection: { kind: 'closed', why: String(error) } }]);
      heard.end();
    });
    yield* heard.read();
  } finally {
    stop();
    stopWaking?.();
    cancelAnswer();
    cancelWake();
    cancelAsking();
    signal?.removeEventListener('abort', stop);
    channel.close();
  }
}

interface Recent {
  last(): number;
  keep(event: WorldEvent): void;
  /** Events after this number; undefined if not all of them are kept. */
  since(from: number): readonly WorldEvent[] | undefined;
}

function createRecent(after: number): Recent {
  const events: WorldEvent[] = [];
  let first = after;
  let last = after;
  return {
    last: () => last,
    keep(event) {
      // Not kept: these events repeat the id of the last stored event, and the final message contains their text.
      if (event.event !== 'sse' && event.event !== 'tool-output' && event.id > last) events.push(event);
      last = Math.max(last, event.id);
      while (events.length > KEPT) first = events.shift()?.id ?? first;
    },
    since: (from) => (from < first ? undefined : events.filter(({ id }) => id > from)),
  };
}

function toItem(event: WorldEvent): StreamItem {
  return { kind: 'event', event };
}

/** Tabs of one origin run only our own code, so it is enough to check the kind. */
function isNote(note: unknown): note is Note {
  return typeof note === 'object' && note !== null && 'kind' in note;
}
