import type { ApprovalRecord, InvocationRecord, TurnRecord } from '../ports/index.js';
import { hasChanged, type CallToSign } from '../calls/call-to-sign.js';
import { closeApproval } from '../calls/close-approval.js';
import { gateCall } from '../calls/gate-call.js';
import { mustHaveChanged, type Runtime, type Step } from '../step/runtime.js';
import { askAgain } from '../calls/start-invocation.js';

/**
 * A yes to what the call no longer is (A7) signs nothing, not even a grant: the question is put again, as it stands now.
 * False: it is what was shown, or a rule has meanwhile answered it and starting the call finds out.
 */
export function supersedeApproval(
  runtime: Runtime,
  step: Step,
  asked: {
    approval: ApprovalRecord;
    invocation: InvocationRecord;
    turn: TurnRecord;
    toSign: CallToSign | undefined;
  },
): boolean {
  const { approval, invocation, turn, toSign } = asked;
  if (toSign?.ok !== true || toSign.against !== invocation.arguments) return false;
  if (invocation.status !== 'asked' || !hasChanged(toSign, approval)) return false;
  const { judged, signed } = toSign.shown;
  const gate = gateCall(step.tx, step.snapshot, judged);
  if (gate.kind !== 'ask') return false;
  // Left to the start of the call, a grant that came with the yes would let run what nobody was shown.
  mustHaveChanged(askAgain(runtime, step, turn, invocation, judged.call, gate, signed));
  const verdict = { status: 'superseded', reason: 'changed', by: 'system' } as const;
  mustHaveChanged(closeApproval(step, approval, invocation, verdict));
  return true;
}
