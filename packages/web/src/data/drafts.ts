import { useSyncExternalStore } from 'react';
import { keptText } from './kept-text.js';
import { createSignal } from './signal.js';

/** The drafts of all composers. Kept across navigation and reloads. */
const drafts = createSignal<ReadonlyMap<string, string>>(new Map());

function draftOf(key: string): string {
  return drafts.get().get(key) ?? keptText(nameOf(key)) ?? '';
}

export function writeDraft(key: string, text: string): void {
  keptText(nameOf(key), text);
  drafts.set(new Map([...drafts.get(), [key, text]]));
}

/** Puts text back in front of what was typed since. */
export function prependToDraft(key: string, text: string): void {
  const since = draftOf(key);
  writeDraft(key, since === '' ? text : `${text}\n${since}`);
}

export function useDraft(key: string): string {
  return useSyncExternalStore(drafts.subscribe, () => draftOf(key));
}

function nameOf(key: string): string {
  return `countersign.draft ${key}`;
}
