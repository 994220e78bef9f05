import { useSyncExternalStore } from 'react';

const KEY = 'countersign.me';
const listeners = new Set<() => void>();
let me = sessionStorage.getItem(KEY) ?? undefined;

/** Remembers this session's name in decisions, taken from the server's record of a decision made here. */
export function learnMe(name: string): void {
  if (name === me || name === 'system') return;
  me = name;
  sessionStorage.setItem(KEY, name);
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
