import type { CoveredCall, PolicyMatch } from '@countersign/protocol';
import type { ApprovalView } from '../state.js';
import { wholeCallLine } from './describe-call.js';

/** The request that finds the waiting calls a decision for this chat would cover (A5). */
export function grantMatch(
  { chatId, agentId, toolName }: Pick<ApprovalView, 'chatId' | 'agentId' | 'toolName'>,
  pattern: string | undefined,
): PolicyMatch {
  return { chatId, grant: { agentId, toolName, ...(pattern === undefined ? {} : { pattern }) } };
}

/** The other calls that a decision would release, one per line. */
export function coveredLines(waiting: readonly CoveredCall[], decided: { invocationId: string }): string[] {
  return waiting
    .filter(({ toolCallId }) => toolCallId !== decided.invocationId)
    .map(({ toolName, arguments: args }) => `${toolName}: ${wholeCallLine(toolName, args)}`);
}

/** `later`: without a long-running server, calls in other chats run when the next one starts. */
export type CoveredWhen = 'now' | 'later';

export function coveredTitle(count: number, when: CoveredWhen = 'now'): string {
  return `Also runs ${coveredText(count, when)}:`;
}

/** `2 waiting calls now` */
export function coveredText(count: number, when: CoveredWhen): string {
  const calls = count === 1 ? '1 waiting call' : `${count} waiting calls`;
  return `${calls} ${when === 'now' ? 'now' : 'once a server is running'}`;
}

/** Groups the covered calls by when they run. `endsSoon`: this process only runs until the decision's chat has settled (X4). */
export function coveredGroups(
  waiting: readonly CoveredCall[],
  decided: { invocationId: string; chatId: string },
  { endsSoon }: { endsSoon: boolean },
): readonly { when: CoveredWhen; lines: readonly string[] }[] {
  const isLater = ({ chatId }: CoveredCall): boolean => endsSoon && chatId !== decided.chatId;
  const now = coveredLines(
    waiting.filter((call) => !isLater(call)),
    decided,
  );
  const later = coveredLines(waiting.filter(isLater), decided);
  const groups = [
    { when: 'now', lines: now },
    { when: 'later', lines: later },
  ] as const;
  return groups.filter(({ lines }) => lines.length > 0);
}
