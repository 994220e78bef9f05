import type { Tabs } from './tabs.js';

/**
 * The maximum number of concurrent streams of worlds, beside the one of all queues: a browser has six connections per server, and without a free
 * one no page loads and nothing can be approved. If there are more worlds, they take turns.
 */
const MAX_STREAMS = 3;
const ROOM = 'countersign.room';
const LOOK_AGAIN_MS = 15_000;

/** Undefined if the browser has no locks, for example on a page that isn't served from this machine or over TLS. */
export function browserTabs(): Tabs | undefined {
  if (!('locks' in navigator) || typeof BroadcastChannel === 'undefined') return undefined;
  const { locks } = navigator;
  return {
    async hold(name, { signal, byForce, isEssential = false }, work) {
      if (!isEssential) await untilRoom(locks, signal);
      if (signal.aborted) return;
      const lost = new AbortController();
      let working: Promise<void> | undefined;
      const run = async (): Promise<void> => {
        if (signal.aborted) return;
        const stopWatching = isEssential ? () => undefined : makeRoom(locks, () => lost.abort());
        working = work(lost.signal).finally(stopWatching);
        await working;
      };
      try {
        await locks.request(name, byForce ? { steal: true } : { signal }, run);
      } catch (error) {
        if (!(error instanceof DOMException) || error.name !== 'AbortError') throw error;
        lost.abort();
        await working;
      }
    },
    openChannel(name, hear) {
      const channel = new BroadcastChannel(name);
      channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => hear(data));
      return { tell: channel.postMessage.bind(channel), close: () => channel.close() };
    },
  };
}

async function streams(locks: LockManager): Promise<number> {
  const { held = [] } = await locks.query();
  return held.filter(({ name }) => name?.startsWith('countersign.events.') === true).length;
}

/** A hidden tab waits while others need the connections; a visible tab never waits. */
async function untilRoom(locks: LockManager, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && document.visibilityState === 'hidden' && (await streams(locks)) >= MAX_STREAMS) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(end, LOOK_AGAIN_MS);
      function end(): void {
        clearTimeout(timer);
        document.removeEventListener('visibilitychange', end);
        signal.removeEventListener('abort', end);
        resolve();
      }
      document.addEventListener('visibilitychange', end);
      signal.addEventListener('abort', end, { once: true });
    });
  }
}

/** Announces one more stream, and gives up this tab's own if the tab is hidden and there are too many. */
function makeRoom(locks: LockManager, giveUp: () => void): () => void {
  const channel = new BroadcastChannel(ROOM);
  const tell = channel.postMessage.bind(channel);
  const look = (): void => {
    if (document.visibilityState !== 'hidden') return;
    streams(locks)
      .then((count) => count > MAX_STREAMS && giveUp())
      .catch(giveUp);
  };
  channel.addEventListener('message', look);
  document.addEventListener('visibilitychange', look);
  tell('one more');
  return () => {
    channel.close();
    document.removeEventListener('visibilitychange', look);
  };
}
