import type { ApprovalRecord, InvocationRecord, TurnRecord } from '../ports/index.js';
import { hasChanged, type CallToSign } from '../calls/call-to-sign.js';
import { closeApproval } from '../calls/close-approval.js';
import { gateCall } from '../calls/gate-call.js';
import { mustHaveChanged, type Runtime, type Step } from '../step/runtime.js';
import { askAnew } from '../calls/start-invocation.js';

/**
 * A yes to what the call no longer is (A7) signs nothing, not even a grant: the question is put again, as it stands now.
 * False: it is what was shown, or a rule has meanwhile answered it and starting the call finds out.
 */
export async function supersedeApproval(
  runtime: Runtime,
  step: Step,
  asked: {
    approval: ApprovalRecord;
    invocation: InvocationRecord;
    turn: TurnRecord;
    toSign: CallToSign | undefined;
  },
): Promise<boolean> {
  const { approval, invocation, turn, toSign } = asked;
  if (toSign?.ok !== true || toSign.against !== invocation.arguments) return false;
  if (invocation.status !== 'asked' || !hasChanged(toSign, approval)) return false;
  const { call, signed } = toSign.shown;
  const gate = await gateCall(step.tx, step.snapshot, call, {
    ...invocation,
    place: toSign.place,
    decision: undefined,
    seen: signed.seen,
  });
  if (gate.kind !== 'ask') return false;
  // Left to the start of the call, a grant that came with the yes would let run what nobody was shown.
  mustHaveChanged(await askAnew(runtime, step, turn, invocation, call, gate, signed));
  const verdict = { status: 'superseded', reason: 'changed', by: 'system' } as const;
  mustHaveChanged(await closeApproval(step, approval, invocation, verdict));
  return true;
}
