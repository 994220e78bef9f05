import type { Gate } from '../approval/index.js';
import { maskArguments, maskSecrets } from '../masking/index.js';
import type { InvocationRecord, TurnRecord } from '../ports/index.js';
import { mustHaveChanged, type Runtime, type Started, type Step } from '../step/runtime.js';
import { auditOf, emitToolEvent } from '../step/tool-events.js';
import type { JudgedCall, SignedCall } from './gate-call.js';
import { sealOriginal } from './seal-original.js';

/** The only place where a call is marked as started (A8). A second run of an idempotent call is no second start (T4). */
export function markStarted(step: Step, invocation: InvocationRecord, epoch: number): InvocationRecord {
  const isSecondRun = invocation.startedAt !== null;
  const startedAt = step.tx.now();
  const change = { status: 'started' as const, startedEpoch: epoch, startedAt };
  mustHaveChanged(step.tx.changeInvocation(invocation.id, invocation.status, change));
  if (!isSecondRun) {
    const { arguments: shown } = auditOf(invocation);
    const started_at = new Date(startedAt).toISOString();
    emitToolEvent(step, invocation, { type: 'TOOL_EXECUTION_STARTED', arguments: shown, started_at });
  }
  return { ...invocation, ...change };
}

/** It has not begun, or may begin again: the next run of the turn starts it. */
export function giveBack(tx: Step['tx'], { id }: InvocationRecord): void {
  tx.changeInvocation(id, 'started', { status: 'approved', startedEpoch: null });
}

/** Starts a call that the gate lets run, and records why. It runs once the step is kept. */
export function startCall(
  runtime: Pick<Runtime, 'store'>,
  step: Step,
  { epoch }: Pick<TurnRecord, 'epoch'>,
  invocation: InvocationRecord,
  { judged, signed }: { judged: JudgedCall; signed: Pick<SignedCall, 'fingerprint'> | undefined },
  gate: Extract<Gate, { kind: 'run' }>,
): Started {
  const { call, place, told } = judged;
  if (call.tool === undefined || !call.arguments.ok) throw new Error('the gate let a call through that can not run');
  const started = markStarted(step, invocation, epoch);
  if (gate.grantId !== undefined) step.tx.useGrant(invocation.chatId, gate.grantId);
  step.tx.record({
    kind: 'run',
    ...auditOf(invocation),
    // What the record shows unmasked needs no sealed copy (A40).
    ...(maskArguments(invocation.arguments).isOriginal
      ? {}
      : { original: sealOriginal(runtime.store.hashKey, invocation, invocation.arguments) }),
    why: gate.because,
    ...(gate.rule === undefined ? {} : { rule: maskSecrets(gate.rule) }),
  });
  return {
    invocation: started,
    tool: call.tool,
    value: call.arguments.value,
    place,
    policyCall: told,
    because: gate.because,
    fingerprint: signed?.fingerprint,
    snapshot: step.snapshot,
  };
}
