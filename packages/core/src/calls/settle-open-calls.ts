import type { TurnRecord } from '../ports/index.js';
import { isSettled } from '../turn/next-step.js';
import { closeApproval } from './close-approval.js';
import { expireToolQuestions } from './close-tool-question.js';
import type { Runtime, Step } from '../step/runtime.js';
import { cutOff, settleInvocation } from './settle-invocation.js';
import { auditOf } from '../step/tool-events.js';

/** Settles what is left of a turn that ends before its calls do: what had begun is unknown, the rest is denied and its questions closed. */
export function settleOpenCalls(
  runtime: Runtime,
  step: Step,
  turn: Pick<TurnRecord, 'id' | 'chatId' | 'iteration'>,
  end: { outcome: 'stopped' | 'interrupted'; reason: string; by: string },
): void {
  if (turn.iteration === 0) return;
  for (const invocation of step.tx.invocations(turn)) {
    if (isSettled(invocation.status)) continue;
    // Begun in a process that died and not yet begun again: nobody may say that it was not run (T4).
    if (invocation.startedAt !== null) {
      expireToolQuestions(step, invocation);
      settleInvocation(runtime, step, invocation, cutOff(end.outcome));
      continue;
    }
    const approval = invocation.approvalId === null ? undefined : step.tx.approval(invocation.approvalId);
    const { reason, by } = end;
    if (approval !== undefined && closeApproval(step, approval, invocation, { status: 'denied', reason, by })) {
      step.tx.record({ kind: 'decision', ...auditOf(invocation), decision: 'deny', who: by, why: reason });
    }
    settleInvocation(runtime, step, invocation, {
      kind: 'denied',
      error: `${invocation.toolName} was not run`,
      reason,
    });
  }
}
