import { useCallback, useMemo, useRef, useState } from 'react';
import { groupCalls, type Group, keepPlaces, type Row, toRows } from './list-rows.js';
import type { InboxItem } from './use-inbox.js';

export interface Rows {
  rows: readonly Row[];
  /** The calls that still wait, in the order of the list, with those of folded groups. */
  waiting: readonly string[];
  isThere: ReadonlySet<string>;
  /** Also finds a call that is gone and kept its row. */
  itemOf: (id: string) => InboxItem | undefined;
  isOpen: (key: string) => boolean;
  toggle: (key: string) => void;
  /** While the list is held, its rows keep their places. */
  hold: () => void;
  release: () => void;
}

/** The rows of the list. `calls` are in order. */
export function useRows(calls: readonly { id: string; key: string }[], byId: ReadonlyMap<string, InboxItem>): Rows {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [isHeld, setIsHeld] = useState(false);
  const places = useRef<readonly Group[]>([]);
  const known = useRef(byId);
  // A list without calls has nothing to click on.
  const keeps = isHeld && calls.length > 0;
  const groups = useMemo(
    () => (keeps ? keepPlaces(places.current, calls, open) : groupCalls(calls)),
    [keeps, calls, open],
  );
  places.current = groups;
  known.current = useMemo(() => (keeps ? new Map([...known.current, ...byId]) : byId), [keeps, byId]);
  const isThere = useMemo(() => new Set(calls.map(({ id }) => id)), [calls]);
  return {
    isThere,
    rows: useMemo(() => toRows(groups, open), [groups, open]),
    waiting: useMemo(() => groups.flatMap(({ ids }) => ids.filter((id) => isThere.has(id))), [groups, isThere]),
    itemOf: useCallback((id) => known.current.get(id), []),
    isOpen: (key) => open.has(key),
    toggle(key) {
      const next = new Set(open);
      if (!next.delete(key)) next.add(key);
      setOpen(next);
    },
    hold: useCallback(() => setIsHeld(true), []),
    release: useCallback(() => setIsHeld(false), []),
  };
}
