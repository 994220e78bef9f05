import type { PermissionOption, RequestPermissionOutcome } from '@agentclientprotocol/sdk';
import type { AskedCall } from './read-permission.js';

/** A request for permission that the agent waits for. */
export interface Permission extends AskedCall {
  /** Random: a match means this request of this process, and no other. */
  readonly id: string;
  readonly toolCallId: string;
  readonly options: readonly PermissionOption[];
  /** Answers the request. Only the first answer counts. */
  answer(outcome: RequestPermissionOutcome): void;
  readonly isAnswered: () => boolean;
}

/** `outcome` resolves with the first answer. */
export function createPermission(
  described: AskedCall,
  toolCallId: string,
  options: readonly PermissionOption[],
): { permission: Permission; outcome: Promise<RequestPermissionOutcome> } {
  let answer: ((outcome: RequestPermissionOutcome) => void) | undefined;
  const outcome = new Promise<RequestPermissionOutcome>((resolve) => (answer = resolve));
  const permission: Permission = {
    ...described,
    id: `acp_${crypto.randomUUID()}`,
    toolCallId,
    options,
    answer(given) {
      answer?.(given);
      answer = undefined;
    },
    isAnswered: () => answer === undefined,
  };
  return { permission, outcome };
}
