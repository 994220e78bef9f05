import { maskArguments, maskResult, maskSecrets, maskText } from '../masking/index.js';
import type { Emission, InvocationRecord, InvocationStatus, NewAuditRecord, RowChange } from '../ports/index.js';
import { wordsOf } from '../ports/words-of.js';
import { auditOf, callMessage, callWith, messageEvent, toolEvent, type Derived, type FactContext } from './context.js';
import type { CallSettled, CallStarted, Settlement } from './fact.js';

/** The only place that marks a call as started (A8). Rerunning an idempotent call is not a second start (T4). */
export function callStarted({ chatId, callId, epoch, gate, original }: CallStarted, context: FactContext): Derived {
  // A question's answer is its result; no gate judges it, so it may still be in `asked`.
  const call = callWith(
    context.state,
    callId,
    ...(gate === undefined ? (['asked', 'approved'] as const) : (['approved'] as const)),
  );
  const { now } = context;
  const change = { status: 'started', startedEpoch: epoch, startedAt: now } as const;
  const changes: RowChange[] = [{ kind: 'call-changed', chatId, callId, change }];
  if (gate?.grantId !== undefined) changes.push({ kind: 'grant-used', chatId, grantId: gate.grantId, at: now });
  const events: Emission[] = [];
  const about = auditOf(call);
  if (call.startedAt === null) {
    const started_at = new Date(now).toISOString();
    events.push(toolEvent(context, call, { type: 'TOOL_EXECUTION_STARTED', arguments: about.arguments, started_at }));
  }
  if (gate === undefined) return { changes, events };
  const record: NewAuditRecord = {
    kind: 'run',
    ...about,
    ...(original === undefined ? {} : { original }),
    why: gate.because,
    ...(gate.rule === undefined ? {} : { rule: maskSecrets(gate.rule) }),
  };
  return { changes, events, records: [record] };
}

/** The only place that settles a call: its result for the model, the message, the last event and the audit record. */
export function callSettled({ chatId, callId, settlement, content }: CallSettled, context: FactContext): Derived {
  const call = callWith(context.state, callId, 'asked', 'approved', 'started');
  const { secrets } = maskArguments(call.arguments);
  const message = callMessage(context, call, {
    role: 'tool',
    sender: 'tool',
    speaker: 'tool',
    content,
    toolCallId: call.id,
    secrets,
    replyTo: call.messageId,
  });
  const change = {
    status: STATUS[settlement.kind],
    result: content,
    outcomeUnknown: settlement.kind === 'unknown',
    settledAt: context.now,
  };
  // Errors quote arguments and output, so they are masked too. Never empty, because clients show only this text (T3).
  const shown = (text: string): string => maskText(text, { alreadyKnown: secrets }).value || wordsOf(undefined);
  return {
    changes: [
      { kind: 'call-changed', chatId, callId, change },
      { kind: 'message-written', message },
    ],
    events: [messageEvent(message), toolEvent(context, call, lastEvent(settlement, content, secrets, shown))],
    records: lastRecord(call, settlement, shown),
  };
}

const STATUS: Record<Settlement['kind'], InvocationStatus> = {
  succeeded: 'succeeded',
  failed: 'failed',
  refused: 'failed',
  unknown: 'failed',
  denied: 'denied',
  forbidden: 'denied',
};

function lastEvent(
  settlement: Settlement,
  content: string,
  secrets: readonly string[],
  shown: (text: string) => string,
): Parameters<typeof toolEvent>[2] {
  switch (settlement.kind) {
    case 'succeeded': {
      const { result = null } = maskResult(content, secrets) as { result?: unknown };
      return { type: 'TOOL_EXECUTION_SUCCEEDED', result };
    }
    case 'denied':
    case 'forbidden':
      return { type: 'TOOL_DENIED', reason: shown(settlement.reason) };
    case 'failed':
    case 'refused':
      return { type: 'TOOL_EXECUTION_FAILED', error: shown(settlement.error) };
    case 'unknown':
      return { type: 'TOOL_EXECUTION_FAILED', error: shown(settlement.error), outcome: settlement.outcome };
  }
}

/** A denial was already recorded with its decision. */
function lastRecord(
  call: InvocationRecord,
  settlement: Settlement,
  shown: (text: string) => string,
): readonly NewAuditRecord[] {
  const about = auditOf(call);
  switch (settlement.kind) {
    case 'succeeded':
      return [{ kind: 'outcome', ...about, decision: 'succeeded' }];
    case 'denied':
      return [];
    case 'forbidden': {
      const { reason, rule } = settlement;
      const named = rule === undefined ? {} : { rule: maskSecrets(rule) };
      return [{ kind: 'refusal', ...about, why: shown(reason), ...named }];
    }
    case 'refused':
      return [{ kind: 'refusal', ...about, why: shown(settlement.error) }];
    case 'failed':
      return [{ kind: 'outcome', ...about, decision: 'failed', why: shown(settlement.error) }];
    case 'unknown':
      return [{ kind: 'outcome', ...about, decision: 'outcome unknown', why: shown(settlement.error) }];
  }
}
