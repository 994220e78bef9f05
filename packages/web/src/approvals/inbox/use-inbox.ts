import { agentName, type ApprovalView, get } from '@countersign/client';
import type { World } from '@countersign/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { useWorld, useWorldStore } from '../../data/connection.js';
import { useForYou } from '../for-you.js';
import type { Waiting, WaitingItem, WaitingPages } from './waiting.js';

export interface InboxItem extends WaitingItem {
  worldName: string;
}

export interface Inbox {
  /** Calls that wait for this person. */
  items: readonly InboxItem[];
  /** Calls that wait for other people. */
  others: readonly InboxItem[];
  /** Loads more approvals. Absent if all are loaded. */
  loadMore?: () => void;
}

/** The number of waiting approvals: "3", "100+", or empty. */
export function inboxCount({ items, loadMore }: Inbox): string {
  return items.length === 0 ? '' : `${items.length}${loadMore === undefined ? '' : '+'}`;
}

/** What waits in the worlds that aren't open. */
export const WaitingContext = createContext<Waiting | undefined>(undefined);

const NONE: WaitingPages = new Map();
const NO_CHANGES = (): (() => void) => () => undefined;

/** Everything that waits for anyone in any world, oldest first: everything loaded in this world, and the first page of each other world. */
export function useInbox(worlds: readonly World[]): Inbox {
  const worldId = useWorld((state) => state.worldId);
  const world = useWorld((state) => state.world);
  const queue = useWorld((state) => state.queue);
  const hasLater = useWorld((state) => state.laterApprovals !== undefined);
  const approvals = useWorld((state) => state.approvals);
  const agents = useWorld((state) => state.agents);
  const isForYou = useForYou();
  const store = useWorldStore();
  const queries = useQueryClient();
  const waiting = useContext(WaitingContext);
  const pages = useSyncExternalStore(waiting?.subscribe ?? NO_CHANGES, () => waiting?.get() ?? NONE);
  useEffect(() => waiting?.show(worldId), [waiting, worldId]);
  const isNew = [...pages.keys()].some((id) => worlds.every((each) => each.id !== id));
  useEffect(() => {
    if (isNew) void queries.invalidateQueries({ queryKey: ['worlds'] });
  }, [isNew, queries]);
  const loadMore = useCallback((): void => {
    waiting?.loadMore();
    void store.loadLaterApprovals();
  }, [waiting, store]);
  const kept = useRef(new WeakMap<ApprovalView, InboxItem>());
  return useMemo(() => {
    const here = queue.flatMap((id): InboxItem[] => {
      const approval = get(approvals, id);
      if (approval === undefined) return [];
      const names = { worldName: world?.name ?? worldId, agentName: agentName({ agents }, approval.agentId) };
      // The same object while nothing about it changes, so that its row isn't rendered again.
      const before = kept.current.get(approval);
      if (before?.worldName === names.worldName && before.agentName === names.agentName) return [before];
      const item = { worldId, ...names, approval };
      kept.current.set(approval, item);
      return [item];
    });
    const others = [...pages].filter(([id]) => id !== worldId);
    const nameOf = (id: string): string => worlds.find((each) => each.id === id)?.name ?? id;
    const elsewhere = others.flatMap(([id, { items }]) => items.map((each) => ({ ...each, worldName: nameOf(id) })));
    const all = [...here, ...elsewhere].sort((a, b) => (a.approval.requestedAt < b.approval.requestedAt ? -1 : 1));
    return {
      items: all.filter(isForYou),
      others: all.filter((item) => !isForYou(item)),
      ...(hasLater || others.some(([, { more }]) => more) ? { loadMore } : {}),
    };
  }, [worldId, world, worlds, queue, hasLater, approvals, agents, pages, isForYou, loadMore]);
}
