import type { RevealedCall } from '@countersign/protocol';
import { useCallback } from 'react';
import { useClient } from '../data/connection.js';
import { sayError } from '../ui/toast.js';
import type { Asked } from './approval-panel.js';

/** A waiting call with nothing masked. Undefined on failure, which is shown. */
export function useReveal(): (asked: Asked) => Promise<RevealedCall | undefined> {
  const client = useClient();
  return useCallback(
    async ({ worldId, approval }: Asked) => {
      try {
        return await client.reveal(worldId, approval.approvalId);
      } catch (error) {
        sayError(error);
        return undefined;
      }
    },
    [client],
  );
}
