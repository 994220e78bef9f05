/** A value outside of React that views follow. */
export interface Signal<T> {
  readonly get: () => T;
  readonly set: (value: T) => void;
  /** Calls the listener after each change. The returned function unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void;
}

export function createSignal<T>(initial: T): Signal<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
