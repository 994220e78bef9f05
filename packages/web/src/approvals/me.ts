import { useSyncExternalStore } from 'react';

const KEY = 'countersign.me';
const listeners = new Set<() => void>();
let me = sessionStorage.getItem(KEY) ?? undefined;

/** The name under which this session signs, learnt from what the server wrote under an answer that was given here. */
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
