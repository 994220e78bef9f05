import { agentName, type ApprovalView, get, readAll, viewOfApproval } from '@countersign/client';
import type { World } from '@countersign/protocol';
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { useClient, useWorld } from '../data/connection.js';
import { paths } from '../shell/paths.js';

export interface InboxItem {
  worldId: string;
  worldName: string;
  agentName: string;
  approval: ApprovalView;
}

/**
 * How often other worlds are asked, where they are looked at and elsewhere. One stream is for the world that is looked at: a browser
 * has only six connections, and each tab asks for itself.
 */
const EVERY_MS = 5000;
const ELSEWHERE_EVERY_MS = 30_000;

/** What waits for a person in any chat of any world, oldest first. */
export function useInbox(worlds: readonly World[]): readonly InboxItem[] {
  const client = useClient();
  const worldId = useWorld((state) => state.worldId);
  const world = useWorld((state) => state.world);
  const queue = useWorld((state) => state.queue);
  const approvals = useWorld((state) => state.approvals);
  const agents = useWorld((state) => state.agents);
  const [path] = useLocation();
  const others = useQueries({
    queries: worlds
      .filter(({ id }) => id !== worldId)
      .map(({ id, name }) => ({
        queryKey: ['waiting', id],
        queryFn: async ({ signal }: { signal: AbortSignal }): Promise<InboxItem[]> => {
          const items = await readAll((after) => client.approvals(id, after, { signal }));
          return items.map((approval) => ({
            worldId: id,
            worldName: name,
            agentName: approval.agentName,
            approval: viewOfApproval(approval),
          }));
        },
        refetchInterval: path === paths.inbox ? EVERY_MS : ELSEWHERE_EVERY_MS,
        refetchIntervalInBackground: true,
      })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
  return useMemo(() => {
    const here = queue.flatMap((id): InboxItem[] => {
      const approval = get(approvals, id);
      if (approval === undefined) return [];
      const name = agentName({ agents }, approval.agentId);
      return [{ worldId, worldName: world?.name ?? worldId, agentName: name, approval }];
    });
    return [...here, ...others].sort((a, b) => (a.approval.requestedAt < b.approval.requestedAt ? -1 : 1));
  }, [worldId, world, queue, approvals, agents, others]);
}
