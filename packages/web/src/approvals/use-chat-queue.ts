import { get } from '@countersign/client';
import { useCallback } from 'react';
import { useChat } from '../data/connection.js';
import type { Asked } from './approval-panel.js';

/** The current chat's approvals. */
export function useChatQueue(): { queue: readonly string[]; find: (id: string) => Asked | undefined } {
  const worldId = useChat((state) => state.worldId);
  const agents = useChat((state) => state.agents);
  const approvals = useChat((state) => state.approvals);
  const queue = useChat((state) => state.queue);
  const find = useCallback(
    (id: string): Asked | undefined => {
      const approval = get(approvals, id);
      if (approval === undefined) return undefined;
      const agentName = agents.find((agent) => agent.id === approval.agentId)?.name ?? approval.agentId;
      return { worldId, agentName, approval };
    },
    [worldId, agents, approvals],
  );
  return { queue, find };
}
