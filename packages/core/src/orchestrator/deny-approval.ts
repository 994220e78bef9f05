import type { ApprovalRecord, InvocationRecord } from '../ports/index.js';
import { closeApproval, recordVerdict, type Verdict } from './close-approval.js';
import { closeToolQuestion } from './close-tool-question.js';
import { resumeTurn } from './resume-turn.js';
import { mustHaveChanged, type Runtime, type Step } from './runtime.js';
import { settleInvocation } from './settle-invocation.js';

/**
 * Ends a question without a yes and denies the call that waits for it, with `error` for the model; a running tool that only asked
 * goes on. False: the turn has moved on, or somebody was faster; look again.
 */
export async function denyApproval(
  runtime: Runtime,
  step: Step,
  { approval, invocation }: { approval: ApprovalRecord; invocation: InvocationRecord },
  verdict: Verdict & { status: 'denied' | 'expired' },
  error: string,
): Promise<boolean> {
  if (approval.question?.raisedBy === 'tool') return await closeToolQuestion(step, approval, invocation, verdict);
  const resumed = await resumeTurn(runtime, step, invocation.turnId, { invocationId: invocation.id, status: 'denied' });
  if (resumed === undefined) return false;
  mustHaveChanged(await closeApproval(step, approval, invocation, verdict));
  recordVerdict(step, invocation, verdict);
  await settleInvocation(runtime, step, invocation, {
    kind: 'denied',
    error,
    reason: verdict.reason ?? 'no answer',
  });
  await resumed.finish();
  return true;
}
