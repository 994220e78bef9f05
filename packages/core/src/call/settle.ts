import { describeReason, SYSTEM, type Who } from '@countersign/protocol';
import type { Gate } from '../policy/check-tool-approval.js';
import { sealJudged } from '../evidence/judged-call.js';
import { NOT_CLAIMED, type Settlement } from '../facts/fact.js';
import { maskArguments } from '../masking/index.js';
import type { CallRecord, TurnRecord } from '../ports/index.js';
import { frameResult } from '../results/index.js';
import type { Runtime, Step } from '../step/runtime.js';

/** Settles an open call. `content`: the result for the model, if it was formatted before the step. */
export function settleCall(
  runtime: Runtime,
  { tx }: Step,
  invocation: CallRecord,
  settlement: Settlement,
  content: string = frameSettlement(runtime, invocation, settlement),
  judged: { judged?: string } = {},
): void {
  const { id: callId, chatId, toolName } = invocation;
  tx.write({ kind: 'call-settled', chatId, callId, toolName, settlement, content, ...judged });
}

/** Handles a refusal by the gate: `fail` for a call that can't run (TURN11), `deny` for one that a rule or the mode forbids. */
export function refuseCall(
  runtime: Runtime,
  step: Step,
  invocation: CallRecord,
  gate: Extract<Gate, { kind: 'refuse' }>,
): void {
  const { how, rule } = gate;
  const reason = describeReason(gate.reason);
  const error = `The call to ${invocation.toolName} is not allowed`;
  const settlement: Settlement =
    how === 'fail' ? { kind: 'refused', error: reason } : { kind: 'forbidden', error, reason, rule };
  const judged = sealJudged(runtime.store.hashKey, invocation, gate.judged);
  settleCall(runtime, step, invocation, settlement, undefined, judged);
}

/** The settlement for a call that was interrupted after it started, so its outcome is unknown. */
export function asUnknown(outcome: 'stopped' | 'interrupted'): Settlement {
  return { kind: 'unknown', error: `${outcome}, outcome unknown`, outcome };
}

/** Settles the open calls of a turn that ends: started calls as unknown, the rest as denied. Their approvals end too. */
export function settleOpenCalls(
  runtime: Runtime,
  step: Step,
  turn: Pick<TurnRecord, 'id' | 'chatId'>,
  end: { outcome: 'stopped' | 'interrupted'; reason: string; by: Who },
): void {
  const { tx } = step;
  const { reason, by } = end;
  for (const invocation of tx.openCalls(turn)) {
    const { id: callId, chatId, approvalId } = invocation;
    // Started by a process that died: the call may have run, so it must not be reported as not run (TURN4).
    if (invocation.startedAt !== null) {
      expireQuestions(step, invocation);
      // Nobody here can stop a call that a program outside runs, or learn how it ended.
      const isOutside = invocation.runBy === 'program';
      settleCall(runtime, step, invocation, isOutside ? { kind: 'not-reported' } : asUnknown(end.outcome));
      continue;
    }
    if (approvalId !== null && tx.approval(approvalId) !== undefined) {
      tx.write({ kind: 'approval-decided', chatId, callId, approvalId, how: 'deny', reason, by });
    }
    const error = `${invocation.toolName} was not run`;
    settleCall(runtime, step, invocation, { kind: 'denied', error, reason });
  }
}

/** Expires questions asked by a tool whose call or process has ended, because nothing waits for the answers anymore. */
export function expireQuestions({ tx }: Step, { id: callId, chatId }: CallRecord): void {
  for (const { id: approvalId, invocationId, question } of tx.pendingApprovals(chatId)) {
    if (question?.raisedBy !== 'tool' || invocationId !== callId) continue;
    const about = { chatId, callId, approvalId };
    tx.write({ kind: 'approval-decided', ...about, how: 'expire', reason: 'the call ended', by: SYSTEM });
  }
}

/** The result of a call in the form that the model sees. */
export function frameSettlement(runtime: Runtime, invocation: CallRecord, settlement: Settlement): string {
  const options = { limitBytes: runtime.options.resultLimitBytes, ownSecrets: runtime.ownSecrets() };
  // A person edited the arguments: without this, the model would assume that its own version ran (CALL7).
  const edited =
    invocation.editedBy !== null ? { edited_by_person: maskArguments(invocation.arguments).value } : undefined;
  switch (settlement.kind) {
    case 'succeeded':
      return frameResult(
        {
          ok: true,
          result: edited === undefined ? settlement.result : { ...edited, result: settlement.result },
          attachments: settlement.attachments ?? [],
        },
        options,
      );
    case 'not-reported':
      return frameResult({ ok: true, outcome: 'not-reported', result: edited ?? null }, options);
    case 'not-claimed':
      return frameResult({ ok: false, error: NOT_CLAIMED, outcome: 'not-claimed' }, options);
    case 'denied':
    case 'forbidden':
      return frameResult({ ok: false, error: settlement.error, reason: settlement.reason }, options);
    case 'failed': {
      const result = edited === undefined ? settlement.result : { ...edited, result: settlement.result };
      const { error, conflict, attachments = [] } = settlement;
      const outcome = conflict === true ? { outcome: 'conflict' } : {};
      return frameResult(
        { ok: false, error, ...outcome, ...(result === undefined ? {} : { result }), attachments },
        options,
      );
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
