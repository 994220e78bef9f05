import { agentName, type ApprovalView, get, viewOfApproval } from '@countersign/client';
import type { World } from '@countersign/protocol';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef } from 'react';
import { useLocation } from 'wouter';
import { useClient, useWorld, useWorldStore } from '../data/connection.js';
import { paths } from '../shell/paths.js';

export interface InboxItem {
  worldId: string;
  worldName: string;
  agentName: string;
  approval: ApprovalView;
}

export interface Inbox {
  items: readonly InboxItem[];
  /** Loads more, where more wait than are loaded. Absent: these are all. */
  loadMore?: () => void;
}

/** What waits in a world that is not looked at, as far as it was asked for. */
interface Page {
  items: readonly InboxItem[];
  more: boolean;
}

const NONE: Page = { items: [], more: false };
const PAGE = 100;
/** The server gives no more at once. */
const LARGEST_PAGE = 1000;

/** How many wait: "3", "100+", or nothing. */
export function inboxCount({ items, loadMore }: Inbox): string {
  return items.length === 0 ? '' : `${items.length}${loadMore === undefined ? '' : '+'}`;
}

/**
 * How often other worlds are asked, where they are looked at and elsewhere. One stream is for the world that is looked at: a browser
 * has only six connections, and each tab asks for itself.
 */
const EVERY_MS = 5000;
const ELSEWHERE_EVERY_MS = 30_000;

/** What waits for a person in any chat of any world, oldest first: all that is loaded of this world, and the first page of others. */
export function useInbox(worlds: readonly World[]): Inbox {
  const client = useClient();
  const worldId = useWorld((state) => state.worldId);
  const world = useWorld((state) => state.world);
  const queue = useWorld((state) => state.queue);
  const hasLater = useWorld((state) => state.laterApprovals !== undefined);
  const approvals = useWorld((state) => state.approvals);
  const agents = useWorld((state) => state.agents);
  const [path] = useLocation();
  const store = useWorldStore();
  const queries = useQueryClient();
  const size = useRef(PAGE);
  const loadMore = useCallback((): void => {
    size.current = Math.min(size.current + PAGE, LARGEST_PAGE);
    void queries.invalidateQueries({ queryKey: ['waiting'] });
    void store.loadLaterApprovals();
  }, [queries, store]);
  const others = useQueries({
    queries: worlds
      .filter(({ id }) => id !== worldId)
      .map(({ id, name }) => ({
        queryKey: ['waiting', id],
        queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Page> => {
          const { items, next } = await client.approvals(id, { limit: size.current }, { signal });
          const asked = items.map((approval) => ({
            worldId: id,
            worldName: name,
            agentName: approval.agentName,
            approval: viewOfApproval(approval),
          }));
          return { items: asked, more: next !== undefined };
        },
        refetchInterval: path === paths.inbox ? EVERY_MS : ELSEWHERE_EVERY_MS,
        refetchIntervalInBackground: true,
      })),
    combine: (results) => results.map(({ data }) => data ?? NONE),
  });
  return useMemo(() => {
    const here = queue.flatMap((id): InboxItem[] => {
      const approval = get(approvals, id);
      if (approval === undefined) return [];
      const name = agentName({ agents }, approval.agentId);
      return [{ worldId, worldName: world?.name ?? worldId, agentName: name, approval }];
    });
    const items = [...here, ...others.flatMap((each) => each.items)];
    return {
      items: items.sort((a, b) => (a.approval.requestedAt < b.approval.requestedAt ? -1 : 1)),
      ...(hasLater || others.some(({ more }) => more) ? { loadMore } : {}),
    };
  }, [worldId, world, queue, hasLater, approvals, agents, others, loadMore]);
}
