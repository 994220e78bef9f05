import { browserWakes, type Client, type Connection, pause } from '@countersign/client';
import type { Tabs } from './tabs.js';

/** What a page hears about the waiting calls of all worlds. */
export type QueueNews =
  /** Changes may have been missed: read everything. */
  | { kind: 'everything' }
  | { kind: 'changed'; worldId: string }
  /** There is no stream until this time. */
  | { kind: 'lost'; retryAt: number };

/** Messages between tabs. `at` tells the last news apart from earlier ones. */
type Note =
  | { kind: 'news'; at: string; news: QueueNews }
  /** Asks whether any tab has the stream, and what it said last. */
  | { kind: 'hello' }
  | { kind: 'here'; at: string; last: QueueNews | undefined }
  /** The wait before the next attempt is over. Timers in a hidden tab may be a minute late. */
  | { kind: 'wake' };

const NAME = 'countersign.queues.1';
/** How often a tab without the stream checks that the one with it is alive, and how long it waits for an answer. */
const ASK_EVERY_MS = 30_000;
const PATIENCE_MS = 3000;
/** After the server rejected the stream. */
const REJECTED_MS = 30_000;

/** Follows the waiting calls of all worlds, over one stream for all tabs of the browser. The returned function stops. */
export function followQueues(client: Client, tabs: Tabs, hear: (news: QueueNews) => void): () => void {
  const { clock } = client;
  const tab = crypto.getRandomValues(new Uint32Array(4)).join('-');
  const over = new AbortController();
  const sleepers = new Set<() => void>();
  let isLeading = false;
  let said = 0;
  /** The last news, whichever tab they came from. */
  let at = '';
  let last: QueueNews | undefined;
  let turn = new AbortController();
  let byForce = false;
  const cancel = { patience: (): void => undefined, wake: (): void => undefined, asking: (): void => undefined };

  const channel = tabs.openChannel(NAME, (note) => {
    if (isNote(note)) take(note);
  });

  function take(note: Note): void {
    switch (note.kind) {
      case 'hello':
        if (isLeading) channel.tell({ kind: 'here', at, last } satisfies Note);
        return;
      case 'wake':
        for (const wake of [...sleepers]) wake();
        return;
      case 'news':
        if (!isLeading) learn(note.at, note.news);
        return;
      case 'here':
        cancel.patience();
        // Nothing was said, or this tab has heard it.
        if (isLeading || note.last === undefined || note.at === at) return;
        learn(note.at, note.last.kind === 'lost' ? note.last : { kind: 'everything' });
    }
  }

  function learn(place: string, news: QueueNews): void {
    cancel.patience();
    cancel.wake();
    at = place;
    last = news;
    hear(news);
    if (isLeading || news.kind !== 'lost') return;
    cancel.wake = clock.after(Math.max(0, news.retryAt - clock.now()), () =>
      channel.tell({ kind: 'wake' } satisfies Note),
    );
  }

  function say(news: QueueNews): void {
    said += 1;
    learn(`${tab} ${said}`, news);
    channel.tell({ kind: 'news', at, news } satisfies Note);
  }

  function sayConnection(connection: Connection): void {
    switch (connection.kind) {
      case 'connecting':
        return;
      case 'open':
        return say({ kind: 'everything' });
      case 'reconnecting':
        return say({ kind: 'lost', retryAt: connection.retryAt });
      case 'closed':
        return say({ kind: 'lost', retryAt: clock.now() + REJECTED_MS });
    }
  }

  async function lead(lost: AbortSignal): Promise<void> {
    isLeading = true;
    cancel.patience();
    cancel.wake();
    const ended = new AbortController();
    const { signal } = ended;
    const end = (): void => ended.abort();
    for (const each of [lost, over.signal]) {
      each.addEventListener('abort', end, { once: true });
      if (each.aborted) end();
    }
    const wakes = (wake: () => void): (() => void) => {
      sleepers.add(wake);
      const stop = browserWakes(wake);
      return () => {
        sleepers.delete(wake);
        stop();
      };
    };
    try {
      for await (const batch of client.queueBatches({ signal, wakes })) {
        if (signal.aborted) return;
        for (const item of batch) {
          if (item.kind === 'event') say({ kind: 'changed', worldId: item.event.worldId });
          if (item.kind === 'connection') sayConnection(item.connection);
        }
      }
      // Keep the lock meanwhile: the server would reject the other tabs too.
      await pause(clock, REJECTED_MS, signal);
    } finally {
      isLeading = false;
    }
  }

  /** If no tab answers, takes over the stream. */
  function ask(): void {
    cancel.patience();
    cancel.patience = clock.after(PATIENCE_MS, () => {
      byForce = true;
      turn.abort();
    });
    channel.tell({ kind: 'hello' } satisfies Note);
  }

  async function compete(): Promise<void> {
    while (!over.signal.aborted) {
      turn = new AbortController();
      const how = { signal: turn.signal, byForce, isEssential: true };
      byForce = false;
      await tabs.hold(NAME, how, lead);
      if (!over.signal.aborted) ask();
    }
  }

  const askAgain = (): void => {
    if (!isLeading) ask();
    cancel.asking();
    cancel.asking = clock.after(ASK_EVERY_MS, askAgain);
  };
  const stopWaking = browserWakes(askAgain);
  askAgain();
  compete().catch(() => hear({ kind: 'lost', retryAt: Number.POSITIVE_INFINITY }));
  return () => {
    over.abort();
    turn.abort();
    stopWaking();
    for (const stop of Object.values(cancel)) stop();
    channel.close();
  };
}

/** Tabs of one origin run only our own code, so it is enough to check the kind. */
function isNote(note: unknown): note is Note {
  return typeof note === 'object' && note !== null && 'kind' in note;
}
