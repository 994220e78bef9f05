import { agentName, type ApprovalView, get, viewOfApproval } from '@countersign/client';
import type { World } from '@countersign/protocol';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef } from 'react';
import { useLocation } from 'wouter';
import { useClient, useWorld, useWorldStore } from '../../data/connection.js';
import { paths } from '../../shell/paths.js';
import { useForYou } from '../for-you.js';

export interface InboxItem {
  worldId: string;
  worldName: string;
  agentName: string;
  approval: ApprovalView;
}

export interface Inbox {
  /** Calls that wait for this person. */
  items: readonly InboxItem[];
  /** Calls that wait for other people. */
  others: readonly InboxItem[];
  /** Loads more approvals. Absent if all are loaded. */
  loadMore?: () => void;
}

/** The loaded approvals from a world that isn't open. */
interface Page {
  items: readonly InboxItem[];
  more: boolean;
}

const NONE: Page = { items: [], more: false };
const PAGE = 100;
/** The server's maximum page size. */
const LARGEST_PAGE = 1000;

/** The number of waiting approvals: "3", "100+", or empty. */
export function inboxCount({ items, loadMore }: Inbox): string {
  return items.length === 0 ? '' : `${items.length}${loadMore === undefined ? '' : '+'}`;
}

/**
 * Polling intervals for other worlds, on the inbox page and elsewhere. Only the open world has a stream, because a browser has six connections
 * per server and each tab polls separately.
 */
const EVERY_MS = 5000;
const ELSEWHERE_EVERY_MS = 30_000;

/** Everything that waits for anyone in any world, oldest first: everything loaded in this world, and the first page of each other world. */
export function useInbox(worlds: readonly World[]): Inbox {
  const client = useClient();
  const worldId = useWorld((state) => state.worldId);
  const world = useWorld((state) => state.world);
  const queue = useWorld((state) => state.queue);
  const hasLater = useWorld((state) => state.laterApprovals !== undefined);
  const approvals = useWorld((state) => state.approvals);
  const agents = useWorld((state) => state.agents);
  const isForYou = useForYou();
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
        // While a world is open, this list gets old: after it, calls that were decided there would seem to wait.
        gcTime: 0,
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
    const all = [...here, ...others.flatMap((each) => each.items)].sort((a, b) =>
      a.approval.requestedAt < b.approval.requestedAt ? -1 : 1,
    );
    return {
      items: all.filter(isForYou),
      others: all.filter((item) => !isForYou(item)),
      ...(hasLater || others.some(({ more }) => more) ? { loadMore } : {}),
    };
  }, [worldId, world, queue, hasLater, approvals, agents, others, isForYou, loadMore]);
}
