import { type ApprovalView, isForYou, readerIn, type Reader } from '@countersign/client';
import { useCallback } from 'react';
import { useWorld } from '../data/connection.js';
import { useAccount } from '../data/me.js';

/** Who reads the approvals of a world, and what they may do there. Undefined if unknown. */
export function useReader(): (worldId: string) => Reader | undefined {
  const account = useAccount();
  const openId = useWorld((state) => state.worldId);
  const here = useWorld((state) => state.me);
  return useCallback(
    (worldId) => {
      if (account !== undefined) return readerIn(account, worldId);
      return worldId === openId ? here : undefined;
    },
    [account, openId, here],
  );
}

/** Tells whether a call waits for this person: they can decide it, and no rule says that others must sign. */
export function useForYou(): (asked: { worldId: string; approval: ApprovalView }) => boolean {
  const readerOf = useReader();
  return useCallback(({ worldId, approval }) => isForYou(approval, readerOf(worldId)), [readerOf]);
}
