import { type ChatState, get, isForYou } from '@countersign/client';
import { useCallback } from 'react';
import { useChat } from '../data/connection.js';
import type { ShownApproval } from './shown-approval.js';

/** The current chat's approvals. `mine`: how many of them wait for this person. */
export function useChatQueue(): {
  queue: readonly string[];
  mine: number;
  find: (id: string) => ShownApproval | undefined;
} {
  const worldId = useChat((state) => state.worldId);
  const agents = useChat((state) => state.agents);
  const approvals = useChat((state) => state.approvals);
  const queue = useChat((state) => state.queue);
  const mine = useChat(waitingForYou);
  const find = useCallback(
    (id: string): ShownApproval | undefined => {
      const approval = get(approvals, id);
      if (approval === undefined) return undefined;
      const agentName = agents.find((agent) => agent.id === approval.agentId)?.name ?? approval.agentId;
      return { worldId, agentName, approval };
    },
    [worldId, agents, approvals],
  );
  return { queue, mine, find };
}

/** How many calls of a chat wait for this person. */
export function waitingForYou({ queue, approvals, me }: ChatState): number {
  return queue.filter((id) => {
    const approval = get(approvals, id);
    return approval !== undefined && isForYou(approval, me);
  }).length;
}
