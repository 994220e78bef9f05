import type { ApprovalRecord, InvocationRecord } from '../ports/index.js';
import { closeApproval, recordVerdict, type Verdict } from './close-approval.js';
import type { Step } from '../step/runtime.js';

/**
 * Ends a question that a running tool put. Its call goes on, so nothing of the call is written: the message is what the tool waits
 * for. False: it was answered before.
 */
export function closeToolQuestion(
  step: Step,
  approval: ApprovalRecord,
  invocation: InvocationRecord,
  verdict: Verdict,
): boolean {
  if (!closeApproval(step, approval, invocation, verdict)) return false;
  recordVerdict(step, invocation, verdict);
  step.tx.emit({
    event: 'crud',
    chatId: invocation.chatId,
    data: { operation: 'update', entity: 'approval', id: approval.id },
  });
  return true;
}

/** The call has ended, or its process has: nobody is left to hear an answer. Those of `ids`, or all that are open. */
export function expireToolQuestions(step: Step, invocation: InvocationRecord, ids?: Iterable<string>): void {
  const open =
    ids === undefined ? step.tx.pendingApprovals(invocation.chatId) : [...ids].map((id) => step.tx.approval(id));
  for (const approval of open) {
    if (approval?.question?.raisedBy !== 'tool' || approval.invocationId !== invocation.id) continue;
    closeToolQuestion(step, approval, invocation, { status: 'expired', reason: 'the call ended', by: 'system' });
  }
}
