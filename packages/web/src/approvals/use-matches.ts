import { callLine, otherCalls } from '@countersign/client';
import type { PolicyMatch } from '@countersign/protocol';
import { useCallback } from 'react';
import { useClient } from '../data/connection.js';
import type { Matched } from './card/always-form.js';
import type { ShownApproval } from './shown-approval.js';

/** Asks the server which other calls a rule or grant would cover: matching in the browser could differ from the gate. */
export function useMatches(): (asked: ShownApproval, wanted: PolicyMatch) => Promise<Matched> {
  const client = useClient();
  return useCallback(
    async ({ worldId, approval }: ShownApproval, wanted: PolicyMatch) => {
      const { items, more, waiting } = await client.policyMatches(worldId, wanted);
      const isWaiting = new Set(waiting.map(({ toolCallId }) => toolCallId));
      const others = items.filter(
        ({ toolCallId }) => toolCallId !== approval.invocationId && !isWaiting.has(toolCallId),
      );
      // Show repeated calls as one line.
      const lines = [...new Set(others.map((each) => callLine(each.toolName, each.arguments)))];
      return { lines, more, waiting: otherCalls(waiting, approval) };
    },
    [client],
  );
}
