import { useSyncExternalStore } from 'react';

const KEY = 'countersign.person';
const listeners = new Set<() => void>();
let me = sessionStorage.getItem(KEY) ?? undefined;

/** Remembers the signed-in person's id, as reported by the server. */
export function learnMe(id: string | undefined): void {
  if (id === undefined || id === me) return;
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
