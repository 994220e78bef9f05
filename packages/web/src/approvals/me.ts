import { useSyncExternalStore } from 'react';

const KEY = 'countersign.person';
const listeners = new Set<() => void>();
let me = sessionStorage.getItem(KEY) ?? undefined;

/** Remembers the id of the person at this page, taken from the server's record of a decision made here. */
export function learnMe(id: string): void {
  if (id === me || id === '' || id === 'system') return;
  me = id;
  sessionStorage.setItem(KEY, id);
  for (const listener of listeners) listener();
}

export function useMe(): string | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => me,
  );
}
