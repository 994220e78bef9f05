import { useSyncExternalStore } from 'react';
import { keptText } from '../data/kept-text.js';
import { useMe } from '../data/me.js';
import { createSignal } from '../data/signal.js';

const MOST = 500;
/** The ids that this tab puts last, by person, in the order in which they were put off. */
const putOff = createSignal<ReadonlyMap<string, readonly string[]>>(new Map());
const NONE: readonly string[] = [];

const keyOf = (me: string): string => `countersign.not-now.${me}`;

/** The calls that this person put off in this tab. It decides nothing, and nobody else sees it. */
export function useNotNow(): { ids: readonly string[]; putOff: (id: string) => void } {
  const me = useMe() ?? '';
  const all = useSyncExternalStore(putOff.subscribe, putOff.get);
  const ids = all.get(me) ?? keptIds(me);
  return {
    ids,
    putOff(id) {
      const next = [...ids.filter((each) => each !== id), id].slice(-MOST);
      keptText(keyOf(me), next.join(' '));
      putOff.set(new Map(putOff.get()).set(me, next));
    },
  };
}

function keptIds(me: string): readonly string[] {
  return keptText(keyOf(me))?.split(' ') ?? NONE;
}

/** The calls that were put off come last, in that order. */
export function withLast(queue: readonly string[], last: readonly string[]): readonly string[] {
  const waiting = new Set(queue);
  const late = new Set(last.filter((id) => waiting.has(id)));
  return late.size === 0 ? queue : [...queue.filter((id) => !late.has(id)), ...late];
}
