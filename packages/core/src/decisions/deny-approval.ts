import type { ApprovalRecord, InvocationRecord } from '../ports/index.js';
import { closeApproval, recordVerdict, type Verdict } from '../calls/close-approval.js';
import { closeToolQuestion } from '../calls/close-tool-question.js';
import { resumeTurn } from '../step/resume-turn.js';
import { mustHaveChanged, type Runtime, type Step } from '../step/runtime.js';
import { settleInvocation } from '../calls/settle-invocation.js';

/**
 * Ends a question without a yes and denies the call that waits for it, with `error` for the model; a running tool that only asked
 * goes on.
 */
export function denyApproval(
  runtime: Runtime,
  step: Step,
  { approval, invocation }: { approval: ApprovalRecord; invocation: InvocationRecord },
  verdict: Verdict & { status: 'denied' | 'expired' },
  error: string,
): void {
  if (approval.question?.raisedBy === 'tool') {
    mustHaveChanged(closeToolQuestion(step, approval, invocation, verdict));
    return;
  }
  const resumed = resumeTurn(runtime, step, invocation.turnId, { invocationId: invocation.id, status: 'denied' });
  mustHaveChanged(closeApproval(step, approval, invocation, verdict));
  recordVerdict(step, invocation, verdict);
  settleInvocation(runtime, step, invocation, {
    kind: 'denied',
    error,
    reason: verdict.reason ?? 'no answer',
  });
  resumed.finish();
}
