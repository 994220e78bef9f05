import { useSyncExternalStore } from 'react';

/** Changes for which something is kept. */
const MOST = 50;

type Kept<T> = Readonly<Record<string, readonly T[]>>;

/** What a person notes about a change, kept by this browser for the last 50 changes: it decides nothing. `key` names it in the storage. */
export function keptByChange<T>(
  key: string,
  isItem: (item: unknown) => item is T,
): (change: string) => [items: readonly T[], keep: (items: readonly T[]) => void] {
  const none: readonly T[] = [];
  const listeners = new Set<() => void>();
  let all: Kept<T> | undefined;
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return (change) => {
    const items = useSyncExternalStore(subscribe, () => (all ??= read(key, isItem))[change] ?? none);
    return [
      items,
      (next) => {
        // Another tab may have kept something since.
        const { [change]: _, ...others } = read(key, isItem);
        all = Object.fromEntries([...Object.entries(others).slice(1 - MOST), [change, next]]);
        try {
          localStorage.setItem(key, JSON.stringify(all));
        } catch {
          // Without storage, it lasts as long as the page.
        }
        for (const each of listeners) each();
      },
    ];
  };
}

function read<T>(key: string, isItem: (item: unknown) => item is T): Kept<T> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return {};
    return Object.fromEntries(
      Object.entries(kept).flatMap(([change, items]: [string, unknown]) =>
        Array.isArray(items) ? [[change, items.filter(isItem)]] : [],
      ),
    );
  } catch {
    return {};
  }
}
