import type { Tabs } from '../tabs.js';

export type FakeBrowser = ReturnType<typeof fakeBrowser>;

/** A browser whose tabs can be closed or frozen. */
export function fakeBrowser() {
  const channels = new Map<string, Set<{ hear: (note: unknown) => void; tab: object }>>();
  const holders = new Map<string, { tab: object; rob: () => void; done: Promise<void> }>();
  const waiting: { name: string; start: () => void }[] = [];
  const frozen = new Set<object>();
  const release = (name: string, tab: object): void => {
    if (holders.get(name)?.tab === tab) holders.delete(name);
    const at = waiting.findIndex((each) => each.name === name);
    if (at >= 0 && !holders.has(name)) waiting.splice(at, 1)[0]?.start();
  };
  const tabOf = (tab: object): Tabs => ({
    async hold(name, { signal, byForce }, work) {
      if (byForce) holders.get(name)?.rob();
      else if (holders.has(name)) {
        await new Promise<void>((resolve) => {
          waiting.push({ name, start: resolve });
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
        if (signal.aborted) return;
      }
      const lost = new AbortController();
      const done = work(lost.signal);
      holders.set(name, { tab, done, rob: () => lost.abort() });
      await done;
      release(name, tab);
    },
    openChannel(name, hear) {
      const all = channels.get(name) ?? new Set();
      channels.set(name, all);
      const mine = { hear, tab };
      all.add(mine);
      return {
        tell: (note) => {
          if (frozen.has(tab)) return;
          const sent = structuredClone(note);
          for (const each of all) if (each !== mine && !frozen.has(each.tab)) queueMicrotask(() => each.hear(sent));
        },
        close: () => all.delete(mine),
      };
    },
  });
  return { tabOf, frozen };
}
