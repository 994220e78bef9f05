import type { UnknownOutcome } from '@countersign/protocol';
import type { InvocationRecord, InvocationStatus } from '../ports/index.js';
import { maskArguments, maskResult, maskText } from '../masking/index.js';
import { frameResult } from '../results/index.js';
import type { Runtime, Step } from '../step/runtime.js';
import { auditOf, emitToolEvent } from '../step/tool-events.js';
import { wordsOf } from '../ports/words-of.js';
import { writeCallMessage } from '../step/write-message.js';

/** How a call ended. `refused` is a call that could not run (T11); `unknown` ended without anybody seeing how (S3). */
export type Settlement =
  | { kind: 'succeeded'; result: unknown }
  | { kind: 'failed'; error: string; result?: unknown }
  | { kind: 'refused'; error: string }
  | { kind: 'unknown'; error: string; outcome: UnknownOutcome }
  | { kind: 'denied'; error: string; reason: string };

/** A call that had started and was cut off: nobody saw its end. */
export function cutOff(outcome: 'stopped' | 'interrupted'): Settlement {
  return { kind: 'unknown', error: `${outcome}, outcome unknown`, outcome };
}

/**
 * Ends a call, once: its result for the model, the tool message, the lifecycle event and the audit record, in the step's
 * transaction. False: somebody else settled it before, and nothing was written.
 */
export function settleInvocation(
  runtime: Runtime,
  step: Step,
  invocation: InvocationRecord,
  settlement: Settlement,
  content: string = frameSettlement(runtime, invocation, settlement),
): boolean {
  const status = STATUS[settlement.kind];
  const changed = step.tx.changeInvocation(invocation.id, invocation.status, {
    status,
    result: content,
    outcomeUnknown: settlement.kind === 'unknown',
    settledAt: step.tx.now(),
  });
  if (!changed) return false;
  writeCallMessage(step, invocation, {
    role: 'tool',
    sender: 'tool',
    speaker: 'tool',
    content,
    toolCallId: invocation.id,
    secrets: maskArguments(invocation.arguments).secrets,
    replyTo: invocation.messageId,
  });
  say(step, invocation, settlement, content);
  return true;
}

const STATUS: Record<Settlement['kind'], InvocationStatus> = {
  succeeded: 'succeeded',
  failed: 'failed',
  refused: 'failed',
  unknown: 'failed',
  denied: 'denied',
};

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

/** Errors quote arguments and output, so they are masked like them. Never empty: clients show them as the whole story (T3). */
function say(step: Step, invocation: InvocationRecord, settlement: Settlement, content: string): void {
  const about = auditOf(invocation);
  // A password is told by the name of its argument alone: what a tool says of it must be known by its value.
  const { secrets } = maskArguments(invocation.arguments);
  const shown = (text: string): string => maskText(text, { alreadyKnown: secrets }).value || wordsOf(undefined);
  switch (settlement.kind) {
    case 'succeeded': {
      const { result = null } = maskResult(content, secrets) as { result?: unknown };
      emitToolEvent(step, invocation, { type: 'TOOL_EXECUTION_SUCCEEDED', result });
      step.tx.record({ kind: 'outcome', ...about, decision: 'succeeded' });
      return;
    }
    case 'denied':
      emitToolEvent(step, invocation, { type: 'TOOL_DENIED', reason: shown(settlement.reason) });
      return;
    case 'refused':
      emitToolEvent(step, invocation, { type: 'TOOL_EXECUTION_FAILED', error: shown(settlement.error) });
      step.tx.record({ kind: 'refusal', ...about, why: shown(settlement.error) });
      return;
    case 'failed':
    case 'unknown':
      emitToolEvent(step, invocation, {
        type: 'TOOL_EXECUTION_FAILED',
        error: shown(settlement.error),
        ...(settlement.kind === 'unknown' ? { outcome: settlement.outcome } : {}),
      });
      step.tx.record({
        kind: 'outcome',
        ...about,
        decision: settlement.kind === 'unknown' ? 'outcome unknown' : 'failed',
        why: shown(settlement.error),
      });
  }
}
