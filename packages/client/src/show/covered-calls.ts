import type { CoveredCall, PolicyMatch } from '@countersign/protocol';
import type { ApprovalView } from '../state.js';
import { callLine } from './describe-call.js';

/** What to ask the server before a decision for this chat: which waiting calls it covers (A5). */
export function grantMatch(
  { chatId, agentId, toolName }: Pick<ApprovalView, 'chatId' | 'agentId' | 'toolName'>,
  pattern: string | undefined,
): PolicyMatch {
  return { chatId, grant: { agentId, toolName, ...(pattern === undefined ? {} : { pattern }) } };
}

/** The other calls that a decision lets run at once, a line each. */
export function coveredLines(waiting: readonly CoveredCall[], decided: { invocationId: string }): string[] {
  return waiting
    .filter(({ toolCallId }) => toolCallId !== decided.invocationId)
    .map(({ toolName, arguments: args }) => `${toolName}: ${callLine(toolName, args)}`);
}

export function coveredTitle(count: number): string {
  return `Also runs ${count === 1 ? '1 waiting call' : `${count} waiting calls`} now:`;
}
