import { SYSTEM } from '@countersign/protocol';
import type { ApprovalDecided } from '../facts/fact.js';
import { isUnattended, UNATTENDED } from '../call/gate.js';
import { settleCall } from '../call/settle.js';
import type { ApprovalRecord, CallRecord, StepNeeds } from '../ports/index.js';
import { commit, readState } from '../step/commit.js';
import { resumeTurn } from '../step/move-turn.js';
import type { Runtime, Step } from '../step/runtime.js';

type Denied = Pick<ApprovalDecided, 'by' | 'via' | 'client' | 'reason' | 'scope' | 'digest' | 'rule' | 'shownMs'> & {
  how: 'deny' | 'expire';
};

/**
 * Ends an approval without approving its call, and denies the call with `error` for the model. If a running tool asked a question, its call
 * continues.
 */
export function denyApproval(
  runtime: Runtime,
  step: Step,
  { approval, invocation }: { approval: ApprovalRecord; invocation: CallRecord },
  denied: Denied,
  error: string,
  reason: string = denied.reason ?? 'no answer',
): void {
  const { chatId, id: callId, turnId } = invocation;
  step.tx.write({ kind: 'approval-decided', chatId, callId, approvalId: approval.id, ...denied });
  if (approval.question?.raisedBy === 'tool') return;
  settleCall(runtime, step, invocation, { kind: 'denied', error, reason });
  if (resumeTurn(runtime, step, turnId)) runtime.dispatch.wake(step, turnId);
}

/** Denies a call whose approval timed out (CALL11), and tells the model. */
export function expireApproval(
  runtime: Runtime,
  step: Step,
  about: { approval: ApprovalRecord; invocation: CallRecord },
): void {
  const { approval, invocation } = about;
  const error =
    approval.question === null ? `Nobody approved ${invocation.toolName} in time` : 'Nobody answered in time';
  denyApproval(runtime, step, about, { how: 'expire', reason: 'timed out', by: SYSTEM }, error);
}

/** Denies pending approvals after the last client that could decide them has left. */
export async function denyUnattended(runtime: Runtime, worldId: string): Promise<void> {
  const isAlone = await readState(runtime, worldId, NEEDS, ({ tx, snapshot }) => isUnattended(tx, snapshot));
  if (!isAlone) return;
  const pending = await runtime.store.read((reader) => reader.approvals(worldId, { status: 'pending' }));
  for (const { id, chatId } of pending) {
    await commit(runtime, 'deny-unattended', worldId, { ...NEEDS, chats: [chatId] }, (step) => deny(runtime, step, id));
  }
}

const NEEDS: StepNeeds = { chats: [], asker: true };

function deny(runtime: Runtime, step: Step, approvalId: string): void {
  const approval = step.tx.approval(approvalId);
  const invocation = approval === undefined ? undefined : step.tx.invocation(approval.invocationId);
  if (approval === undefined || invocation === undefined) return;
  if (step.tx.turn(invocation.turnId) === undefined || !isUnattended(step.tx, step.snapshot)) return;
  const denied = { how: 'deny', reason: UNATTENDED, by: SYSTEM } as const;
  const error = `${invocation.toolName} was not run`;
  denyApproval(runtime, step, { approval, invocation }, denied, error);
}
