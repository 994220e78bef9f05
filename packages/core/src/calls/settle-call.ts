import { describeReason } from '@countersign/protocol';
import type { Gate } from '../approval/index.js';
import type { Settlement } from '../facts/fact.js';
import { maskArguments } from '../masking/index.js';
import type { InvocationRecord, TurnRecord } from '../ports/index.js';
import { frameResult } from '../results/index.js';
import type { Runtime, Step } from '../step/runtime.js';

/** Ends an open call. `content`: its result for the model, if it was framed before the step. */
export function settleCall(
  runtime: Runtime,
  { tx }: Step,
  invocation: InvocationRecord,
  settlement: Settlement,
  content: string = frameSettlement(runtime, invocation, settlement),
): void {
  const { id: callId, chatId } = invocation;
  tx.write({ kind: 'call-settled', chatId, callId, settlement, content });
}

/** Refused by the gate: `fail` for a call that can't run (T11), `deny` for one that a rule or the mode forbids. */
export function refuseCall(
  runtime: Runtime,
  step: Step,
  invocation: InvocationRecord,
  gate: Extract<Gate, { kind: 'refuse' }>,
): void {
  const { how, rule } = gate;
  const reason = describeReason(gate.reason);
  const error = `The call of ${invocation.toolName} is not allowed`;
  const settlement: Settlement =
    how === 'fail' ? { kind: 'refused', error: reason } : { kind: 'forbidden', error, reason, rule };
  settleCall(runtime, step, invocation, settlement);
}

/** A call that had started and was cut off: nobody saw its end. */
export function cutOff(outcome: 'stopped' | 'interrupted'): Settlement {
  return { kind: 'unknown', error: `${outcome}, outcome unknown`, outcome };
}

/** Settles what is left of a turn that ends before its calls do: what had begun is unknown, the rest is denied and its approvals too. */
export function settleOpenCalls(
  runtime: Runtime,
  step: Step,
  turn: Pick<TurnRecord, 'id' | 'chatId'>,
  end: { outcome: 'stopped' | 'interrupted'; reason: string; by: string },
): void {
  const { tx } = step;
  const { reason, by } = end;
  for (const invocation of tx.openCalls(turn)) {
    const { id: callId, chatId, approvalId } = invocation;
    // Begun in a process that died and not yet begun again: nobody may say that it was not run (T4).
    if (invocation.startedAt !== null) {
      expireQuestions(step, invocation);
      settleCall(runtime, step, invocation, cutOff(end.outcome));
      continue;
    }
    if (approvalId !== null && tx.approval(approvalId) !== undefined) {
      tx.write({ kind: 'approval-decided', chatId, callId, approvalId, how: 'deny', reason, by });
    }
    const error = `${invocation.toolName} was not run`;
    settleCall(runtime, step, invocation, { kind: 'denied', error, reason });
  }
}

/** The call of a running tool has ended, or its process has: nobody is left to hear an answer to its questions. */
export function expireQuestions({ tx }: Step, { id: callId, chatId }: InvocationRecord): void {
  for (const { id: approvalId, invocationId, question } of tx.pendingApprovals(chatId)) {
    if (question?.raisedBy !== 'tool' || invocationId !== callId) continue;
    const about = { chatId, callId, approvalId };
    tx.write({ kind: 'approval-decided', ...about, how: 'expire', reason: 'the call ended', by: 'system' });
  }
}

/** What the model gets of a call's end. */
export function frameSettlement(runtime: Runtime, invocation: InvocationRecord, settlement: Settlement): string {
  const options = { limitBytes: runtime.resultLimitBytes, ownSecrets: runtime.ownSecrets };
  // The model asked for something else than what ran: without this it would go on from a wrong belief (A7).
  const edited = invocation.edited ? { edited_by_person: maskArguments(invocation.arguments).value } : undefined;
  switch (settlement.kind) {
    case 'succeeded':
      return frameResult(
        { ok: true, result: edited === undefined ? settlement.result : { ...edited, result: settlement.result } },
        options,
      );
    case 'denied':
    case 'forbidden':
      return frameResult({ ok: false, error: settlement.error, reason: settlement.reason }, options);
    case 'failed': {
      const result = edited === undefined ? settlement.result : { ...edited, result: settlement.result };
      return frameResult({ ok: false, error: settlement.error, ...(result === undefined ? {} : { result }) }, options);
    }
    case 'unknown':
      return frameResult(
        { ok: false, error: settlement.error, outcome: settlement.outcome, ...(edited && { result: edited }) },
        options,
      );
    case 'refused':
      return frameResult({ ok: false, error: settlement.error }, options);
  }
}
