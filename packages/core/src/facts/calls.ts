import {
  describeEffect,
  describeNoEffect,
  describePrediction,
  readAttachments,
  readWhos,
  whosText,
  whoText,
  type ToolEvent,
} from '@countersign/protocol';
import { maskArguments, maskResult, maskSecrets, maskText } from '../masking/index.js';
import type {
  ChatState,
  PredictedEvidence,
  Emission,
  CallRecord,
  CallStatus,
  MessageRecord,
  NewAuditRecord,
  RehearsalRecord,
  RowChange,
} from '../ports/index.js';
import { errorMessage } from '../ports/error-message.js';
import { toolTurnId, undoId } from '../turn/ids.js';
import { NOT_CLAIMED } from './fact.js';
import type {
  CallEdited,
  CallRehearsed,
  CallSettled,
  CallStarted,
  CallUndo,
  Derived,
  FactContext,
  MessageFields,
  Settlement,
} from './fact.js';

/** The only place that publishes a rehearsal. A rehearsal is not a run: the call stays as it is. */
export function callRehearsed({ callId, rehearsal }: CallRehearsed, context: FactContext): Derived {
  const call = callIn(context.state, callId);
  const { ms = 0 } = rehearsal;
  const { event, record } = describeRehearsal(rehearsal);
  return {
    changes: [],
    events: [toolEvent(context, call, { type: 'TOOL_REHEARSED', ...event, ms })],
    records: [{ kind: 'rehearsal', ...auditOf(call), ...record }],
  };
}

/** A prediction has no hash there: a hash stands for what was signed or applied. */
function describeRehearsal(rehearsal: RehearsalRecord | PredictedEvidence) {
  if ('effect' in rehearsal) {
    const { effectHash } = rehearsal.effect;
    return { event: { effect_hash: effectHash }, record: { why: describeEffect(rehearsal.effect), effectHash } };
  }
  if ('prediction' in rehearsal)
    return { event: { predicted: true }, record: { why: describePrediction(rehearsal.prediction) } } as const;
  const { noEffect } = rehearsal;
  return { event: { no_effect: noEffect }, record: { why: describeNoEffect(noEffect) } };
}

/** The only place that changes a call that keeps waiting. Its approval is replaced in the same step. */
export function callEdited({ chatId, callId, arguments: text, by }: CallEdited, context: FactContext): Derived {
  const call = callWith(context.state, callId, 'asked');
  const editedBy = whosText([...(call.editedBy === null ? [] : readWhos(call.editedBy)), by.who]);
  const change = { arguments: text, editedBy };
  const record: NewAuditRecord = {
    kind: 'decision',
    ...auditOf({ ...call, arguments: text }),
    decision: 'edit',
    ...by,
  };
  return { changes: [{ kind: 'call-changed', chatId, callId, change }], records: [record] };
}

/** The only place that marks a call as started (CALL8). Rerunning an idempotent call is not a second start (TURN4). */
export function callStarted(
  { chatId, callId, epoch, gate, original, judged }: CallStarted,
  context: FactContext,
): Derived {
  // An answered question never passes the gate, so its call may still be in `asked`.
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
    ...(judged === undefined ? {} : { judged }),
    why: gate.because,
    ...(gate.rule === undefined ? {} : { rule: maskSecrets(gate.rule) }),
  };
  return { changes, events, records: [record] };
}

/** The only place that settles a call: its result for the model, the message, the last event and the audit record. */
export function callSettled(
  { chatId, callId, settlement, content, judged }: CallSettled,
  context: FactContext,
): Derived {
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
  // Errors quote arguments and output, so they are masked too. Never empty, because clients show only this text (TURN3).
  const shown = (text: string): string => maskText(text, { alreadyKnown: secrets }).value || errorMessage(undefined);
  return {
    changes: [
      { kind: 'call-changed', chatId, callId, change },
      { kind: 'message-written', message },
    ],
    events: [messageEvent(message), toolEvent(context, call, lastEvent(settlement, content, secrets, shown))],
    records: lastRecord(call, settlement, shown, judged === undefined ? {} : { judged }),
  };
}

/** The only place that undoes a call. The call stays as it ended; the transcript says that it was undone, and by whom (CHANGE10). */
export function callUndo({ call, state, effectHash, by, requester, why }: CallUndo, context: FactContext): Derived {
  const record: NewAuditRecord = {
    kind: 'undo',
    ...auditOf(call),
    ...(requester === undefined ? {} : { requester }),
    decision: state,
    effectHash,
    ...by,
    ...(why === undefined ? {} : { why: maskSecrets(why) }),
  };
  if (state !== 'done') return { changes: [], records: [record] };
  const message = callMessage(context, call, {
    role: 'tool',
    sender: by.who.name,
    who: whoText(by.who),
    speaker: 'tool',
    content: JSON.stringify({ undone: call.id, via: by.via }),
    toolCallId: undoId(call.id),
    replyTo: call.messageId,
  });
  return {
    changes: [{ kind: 'message-written', message }],
    events: [messageEvent(message), toolEvent(context, call, { type: 'TOOL_UNDONE', effect_hash: effectHash })],
    records: [record],
  };
}

const STATUS: Record<Settlement['kind'], CallStatus> = {
  succeeded: 'succeeded',
  'not-reported': 'succeeded',
  'not-claimed': 'failed',
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
      const masked = maskResult(content, secrets);
      const { result = null } = masked as { result?: unknown };
      const attachments = readAttachments(masked);
      return { type: 'TOOL_EXECUTION_SUCCEEDED', result, ...(attachments.length === 0 ? {} : { attachments }) };
    }
    case 'not-reported':
      return { type: 'TOOL_EXECUTION_SUCCEEDED', result: null, outcome: 'not-reported' };
    case 'not-claimed':
      return { type: 'TOOL_EXECUTION_FAILED', error: NOT_CLAIMED, outcome: 'not-claimed' };
    case 'denied':
    case 'forbidden':
      return { type: 'TOOL_DENIED', reason: shown(settlement.reason) };
    case 'failed': {
      const outcome = settlement.conflict === true ? ({ outcome: 'conflict' } as const) : {};
      return { type: 'TOOL_EXECUTION_FAILED', error: shown(settlement.error), ...outcome };
    }
    case 'refused':
      return { type: 'TOOL_EXECUTION_FAILED', error: shown(settlement.error) };
    case 'unknown':
      return { type: 'TOOL_EXECUTION_FAILED', error: shown(settlement.error), outcome: settlement.outcome };
  }
}

/** Returns no record for a denial, which was already recorded with its decision. */
function lastRecord(
  call: CallRecord,
  settlement: Settlement,
  shown: (text: string) => string,
  judged: Pick<NewAuditRecord, 'judged'>,
): readonly NewAuditRecord[] {
  const about = auditOf(call);
  const ran = 'attempts' in settlement ? { attempts: settlement.attempts } : {};
  switch (settlement.kind) {
    case 'succeeded':
      return [{ kind: 'outcome', ...about, decision: 'succeeded', ...ran }];
    case 'not-reported':
      return [{ kind: 'outcome', ...about, decision: 'not reported' }];
    case 'not-claimed':
      return [{ kind: 'outcome', ...about, decision: 'not claimed' }];
    case 'denied':
      return [];
    case 'forbidden': {
      const { reason, rule } = settlement;
      const named = rule === undefined ? {} : { rule: maskSecrets(rule) };
      return [{ kind: 'refusal', ...about, ...judged, why: shown(reason), ...named }];
    }
    case 'refused':
      return [{ kind: 'refusal', ...about, ...judged, why: shown(settlement.error) }];
    case 'failed':
      return [{ kind: 'outcome', ...about, decision: 'failed', why: shown(settlement.error), ...ran }];
    case 'unknown':
      return [{ kind: 'outcome', ...about, decision: 'outcome unknown', why: shown(settlement.error) }];
  }
}

/** A message about one call within its turn: a question, its answer, or a result. */
export function callMessage(
  { message }: FactContext,
  { turnId, agentId, iteration }: CallRecord,
  fields: MessageFields,
): MessageRecord {
  return message({ agentId, turnId, iteration, ...fields });
}

export function messageEvent(message: MessageRecord): Emission {
  return { event: 'message', chatId: message.chatId, message };
}

type Lifecycle = ToolEvent extends infer E
  ? E extends ToolEvent
    ? Omit<E, 'invocation_id' | 'tool_name' | 'turn_id' | 'agent_id' | 'agent_name'>
    : never
  : never;

/** A lifecycle event of a call (TURN2). */
export function toolEvent({ agentName }: FactContext, call: CallRecord, lifecycle: Lifecycle): Emission {
  return {
    event: 'tool',
    chatId: call.chatId,
    data: {
      ...lifecycle,
      invocation_id: call.id,
      tool_name: call.toolName,
      turn_id: toolTurnId(call.turnId, call.iteration),
      agent_id: call.agentId,
      agent_name: agentName(call.agentId),
    },
  };
}

/** The fields that every audit record about a call has (LOG1). */
export function auditOf(
  call: CallRecord,
): Required<Pick<NewAuditRecord, 'chatId' | 'agentId' | 'tool' | 'invocationId' | 'arguments'>> {
  return {
    chatId: call.chatId,
    agentId: call.agentId,
    tool: call.toolName,
    invocationId: call.id,
    arguments: maskArguments(call.arguments).value,
  };
}

export function callIn(state: ChatState, callId: string): CallRecord {
  const call = state.calls.get(callId);
  if (call === undefined) throw new Error(`The call "${callId}" is not open.`);
  return call;
}

/** Returns the call if its state allows the transition. Any other state is a bug in the step, which then writes nothing. */
export function callWith(state: ChatState, callId: string, ...statuses: readonly CallRecord['status'][]): CallRecord {
  const call = callIn(state, callId);
  if (!statuses.includes(call.status))
    throw new Error(`The call "${callId}" is ${call.status}, not ${statuses.join(' or ')}.`);
  return call;
}
