import { describeReason } from '@countersign/protocol';
import type { Gate } from '../approval/index.js';
import { maskSecrets } from '../masking/index.js';
import type { InvocationRecord } from '../ports/index.js';
import type { Runtime, Step } from '../step/runtime.js';
import { settleInvocation } from './settle-invocation.js';
import { auditOf } from '../step/tool-events.js';

/** Refused by the gate: `fail` for a call that can't run (T11), `deny` for one that a rule or the mode forbids. */
export function refuseCall(
  runtime: Runtime,
  step: Step,
  invocation: InvocationRecord,
  gate: Extract<Gate, { kind: 'refuse' }>,
): void {
  const reason = describeReason(gate.reason);
  if (gate.how === 'fail') {
    settleInvocation(runtime, step, invocation, { kind: 'refused', error: reason });
    return;
  }
  step.tx.record({
    kind: 'refusal',
    ...auditOf(invocation),
    why: maskSecrets(reason),
    ...(gate.rule === undefined ? {} : { rule: maskSecrets(gate.rule) }),
  });
  settleInvocation(runtime, step, invocation, {
    kind: 'denied',
    error: `The call of ${invocation.toolName} is not allowed`,
    reason,
  });
}
