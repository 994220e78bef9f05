import type { Scope } from '@countersign/protocol';
import type { ApprovalRecord, InvocationRecord } from '../ports/index.js';
import { maskSecrets } from '../masking/index.js';
import type { Step } from '../step/runtime.js';
import { auditOf } from '../step/tool-events.js';
import { writeCallMessage } from '../step/write-message.js';

/** How a question ended. What no person decided (a stop, a deadline, a change) has no digest, so nothing sent is a repeat of it. */
export interface Verdict {
  status: 'approved' | 'denied' | 'expired' | 'superseded';
  reason: string | undefined;
  by: string;
  /** The id of the client they signed with, or a name for it. */
  client?: string;
  /** Default: `once`. */
  scope?: Scope;
  /** Of the decision as it was sent, to tell a repeat from a change of mind. */
  digest?: string;
  /** More fields of the message in the transcript. */
  more?: Record<string, unknown>;
}

/**
 * Ends a question, once: the row by compare-and-set and the decision as a `role: 'tool'` message under its id (A4).
 * False: it was answered before.
 */
export function closeApproval(
  step: Step,
  approval: ApprovalRecord,
  invocation: InvocationRecord,
  { status, reason, by, client, scope = 'once', digest, more }: Verdict,
): boolean {
  const decision = status === 'approved' ? 'approve' : 'deny';
  const settled = step.tx.settleApproval(approval.id, {
    status,
    decision,
    scope,
    reason: reason ?? null,
    decisionDigest: digest ?? null,
    decidedBy: by,
  });
  if (!settled) return false;
  writeCallMessage(step, invocation, {
    role: 'tool',
    sender: by,
    // Not `human`: a decision is not chat and resets no limit (M12).
    speaker: 'tool',
    content: JSON.stringify({
      decision,
      scope,
      reason,
      ...(status === 'expired' ? { expired: true } : {}),
      ...(status === 'superseded' ? { superseded: true } : {}),
      client: client === undefined ? undefined : (step.tx.client(client)?.label ?? client),
      digest,
      ...more,
    }),
    toolCallId: approval.id,
    replyTo: approval.messageId,
  });
  return true;
}

/** What the audit log says of the end of a question (A16). */
export function recordVerdict(step: Step, invocation: InvocationRecord, { status, reason, by, client }: Verdict): void {
  step.tx.record({
    kind: 'decision',
    ...auditOf(invocation),
    decision: { approved: 'answer', denied: 'deny', expired: 'expired', superseded: 'expired' }[status],
    who: by,
    ...(client === undefined ? {} : { client }),
    ...(reason === undefined ? {} : { why: maskSecrets(reason) }),
  });
}
