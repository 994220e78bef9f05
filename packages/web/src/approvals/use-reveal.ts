import type { RevealedCall } from '@countersign/protocol';
import { useCallback } from 'react';
import { useClient } from '../data/connection.js';
import { clearErrors, sayError } from '../notices/toast.js';
import type { ShownApproval } from './shown-approval.js';

/** Reveals a waiting call with nothing masked. Undefined on failure, which is shown. */
export function useReveal(): (asked: ShownApproval) => Promise<RevealedCall | undefined> {
  const client = useClient();
  return useCallback(
    async ({ worldId, approval }: ShownApproval) => {
      try {
        const revealed = await client.reveal(worldId, approval.approvalId);
        clearErrors(`reveal-${approval.approvalId}`);
        return revealed;
      } catch (error) {
        sayError(`reveal-${approval.approvalId}`, error);
        return undefined;
      }
    },
    [client],
  );
}
