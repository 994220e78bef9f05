import { useCallback } from 'react';
import { callLine, coveredLines, grantMatch } from '@countersign/client';
import { useClient } from '../data/connection.js';
import type { Matched } from './always-form.js';
import type { Asked } from './approval-panel.js';

/** Asks the server which other calls of this chat a rule would have been about: a second opinion here could differ from its gate. */
export function useMatches(): (asked: Asked, rule: string) => Promise<Matched> {
  const client = useClient();
  return useCallback(
    async ({ worldId, approval }: Asked, rule: string) => {
      const { items, more, waiting } = await client.policyMatches(worldId, { chatId: approval.chatId, rule });
      const isWaiting = new Set(waiting.map(({ toolCallId }) => toolCallId));
      const others = items.filter(
        ({ toolCallId }) => toolCallId !== approval.invocationId && !isWaiting.has(toolCallId),
      );
      // The same call made five times is one line to read.
      const lines = [...new Set(others.map((each) => callLine(each.toolName, each.arguments)))];
      return { lines, more, waiting: coveredLines(waiting, approval) };
    },
    [client],
  );
}

/** Which waiting calls a grant for this chat lets run at once. */
export function useCovered(): (asked: Asked, pattern: string | undefined) => Promise<readonly string[]> {
  const client = useClient();
  return useCallback(
    async ({ worldId, approval }: Asked, pattern: string | undefined) => {
      const { waiting } = await client.policyMatches(worldId, grantMatch(approval, pattern));
      return coveredLines(waiting, approval);
    },
    [client],
  );
}
