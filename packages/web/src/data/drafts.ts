import { useSyncExternalStore } from 'react';
import { keptText } from './kept-text.js';

/** The drafts of all composers. Kept across navigation and reloads. */
const listeners = new Set<() => void>();
const drafts = new Map<string, string>();

function draftOf(key: string): string {
  return drafts.get(key) ?? keptText(nameOf(key)) ?? '';
}

export function writeDraft(key: string, text: string): void {
  drafts.set(key, text);
  keptText(nameOf(key), text);
  for (const listener of [...listeners]) listener();
}

/** Puts text back in front of what was typed since. */
export function prependToDraft(key: string, text: string): void {
  const since = draftOf(key);
  writeDraft(key, since === '' ? text : `${text}\n${since}`);
}

export function useDraft(key: string): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => draftOf(key),
  );
}

function nameOf(key: string): string {
  return `countersign.draft ${key}`;
}
