import type { Scope } from '@countersign/protocol';
import type { ApprovalRecord } from '../ports/index.js';
import type { Step } from './runtime.js';
import { writeTurnMessage } from './write-message.js';

export interface Verdict {
  status: 'approved' | 'denied' | 'expired' | 'superseded';
  decision: 'approve' | 'deny';
  scope: Scope;
  reason: string | null;
  by: string;
  /** What was sent, to tell a repeat from a change of mind. Null when no person decided. */
  decisionText: string | null;
  /** More for the record: what grants and edited calls are rebuilt from (A9). */
  more?: Record<string, unknown>;
}

/**
 * Ends a question, once: the row by compare-and-set and the decision as a `role: 'tool'` message under its id (A4).
 * False: it was answered before.
 */
export async function closeApproval(
  step: Step,
  approval: ApprovalRecord,
  turn: { id: string; iteration: number },
  verdict: Verdict,
): Promise<boolean> {
  const settled = await step.tx.settleApproval(approval.id, {
    status: verdict.status,
    decision: verdict.decision,
    scope: verdict.scope,
    reason: verdict.reason,
    decisionText: verdict.decisionText,
    decidedBy: verdict.by,
  });
  if (!settled) return false;
  await writeTurnMessage(step, { ...approval, id: turn.id }, turn.iteration, {
    role: 'tool',
    sender: verdict.by,
    // Not `human`: a decision is not chat and resets no limit (M12).
    speaker: 'tool',
    content: JSON.stringify({
      decision: verdict.decision,
      scope: verdict.scope,
      ...(verdict.reason === null ? {} : { reason: verdict.reason }),
      ...(verdict.status === 'expired' ? { expired: true } : {}),
      ...(verdict.status === 'superseded' ? { superseded: true } : {}),
      ...(verdict.decisionText === null ? {} : { digest: verdict.decisionText }),
      ...verdict.more,
    }),
    toolCallId: approval.id,
    replyTo: approval.messageId,
  });
  return true;
}
