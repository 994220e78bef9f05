import { callLine, type Invocation, values } from '@countersign/client';
import { useCallback, useContext } from 'react';
import { ChatContext, useClient } from '../data/connection.js';
import type { Matched } from './always-form.js';
import type { Asked } from './approval-panel.js';

/** A chat may hold thousands of calls; the newest tell enough. */
const LOOKED_AT = 40;

/** Asks the server's own gate which other calls of this chat a rule would have let through: a second opinion here could differ. */
export function useMatches(): ((asked: Asked, rule: string) => Promise<readonly Matched[]>) | undefined {
  const client = useClient();
  const chat = useContext(ChatContext);
  const look = useCallback(
    async ({ worldId, approval }: Asked, rule: string) => {
      if (chat === undefined) return [];
      const { invocations } = chat.getState();
      const others = [...values(invocations)]
        .filter(
          (each) =>
            each.toolName === approval.toolName && each.invocationId !== approval.invocationId && hasArguments(each),
        )
        .slice(-LOOKED_AT);
      const seen = new Map<string, Invocation>();
      for (const each of others) seen.set(callLine(each.toolName, each.arguments), each);
      const found = await Promise.all(
        [...seen].map(async ([line, { invocationId, toolName, agentId, arguments: args }]) => {
          const call = {
            agentId,
            tool: toolName,
            arguments: { ...(args as Record<string, unknown>) },
            rules: rule.split('\n'),
          };
          const verdict = await client.checkPolicy(worldId, call);
          // Only what this rule let through: a tool that needs no approval runs without it.
          return verdict.outcome === 'run' && verdict.rule !== undefined ? { id: invocationId, line } : undefined;
        }),
      );
      return found.filter((each) => each !== undefined);
    },
    [client, chat],
  );
  // Outside a chat, as in the inbox, its calls are not loaded.
  return chat === undefined ? undefined : look;
}

function hasArguments({ arguments: args }: Invocation): boolean {
  return typeof args === 'object' && args !== null && !Array.isArray(args);
}
