import type { Tabs } from './tabs.js';

/** Undefined where a browser has no locks, such as on a page that is not served from this machine or over TLS. */
export function browserTabs(): Tabs | undefined {
  if (!('locks' in navigator) || typeof BroadcastChannel === 'undefined') return undefined;
  const { locks } = navigator;
  return {
    async hold(name, { signal, byForce }, work) {
      const lost = new AbortController();
      let working: Promise<void> | undefined;
      try {
        await locks.request(name, byForce ? { steal: true } : { signal }, async () => {
          working = signal.aborted ? undefined : work(lost.signal);
          await working;
        });
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
