import type { Effect } from '@countersign/protocol';
import { useCallback } from 'react';
import { useClient } from '../data/connection.js';
import { clearErrors, sayError } from '../notices/toast.js';
import type { ShownApproval } from './shown-approval.js';

/** Gets everything that a waiting call will change. Undefined on failure, which is shown. */
export function useWholeEffect(): (asked: ShownApproval) => Promise<Effect | undefined> {
  const client = useClient();
  return useCallback(
    async ({ worldId, approval }: ShownApproval) => {
      try {
        const effect = await client.wholeEffect(worldId, approval.approvalId);
        clearErrors(`effect-${approval.approvalId}`);
        return effect;
      } catch (error) {
        sayError(`effect-${approval.approvalId}`, error);
        return undefined;
      }
    },
    [client],
  );
}
