import {
  describeReason,
  type Approval,
  type Principal,
  REQUEST_APPROVAL_TOOL,
  RUN_TOOL,
  type Who,
  whoText,
} from '@countersign/protocol';
import { maskArguments, maskSecrets } from '../masking/index.js';
import type {
  ApprovalRecord,
  ClaimedEvidence,
  Emission,
  CallRecord,
  NewAuditRecord,
  PredictedEvidence,
  RowChange,
  SigningRecord,
} from '../ports/index.js';
import { capText } from '../results/index.js';
import { auditOf, callIn, callMessage, messageEvent, toolEvent } from './calls.js';
import type { BatchName, Derived, FactContext, ApprovalDecided, ApprovalRequested, ApprovalSigned } from './fact.js';

/** The only place that requests an approval: creates the record, and the standard tool call that shows it in the transcript (CALL3). */
export function approvalRequested(fact: ApprovalRequested, context: FactContext): Derived {
  const { approvalId, chatId, card, expiresAt, judged } = fact;
  const call = callIn(context.state, fact.callId);
  const isFromTool = card.question?.raisedBy === 'tool';
  const shown = maskArguments(call.arguments).value;
  const rule = card.rule === null ? null : maskSecrets(card.rule);
  const message = callMessage(context, call, {
    role: 'assistant',
    sender: call.agentId,
    speaker: 'agent',
    content: '',
    replyTo: call.messageId,
    toolCalls: [
      {
        id: approvalId,
        type: 'function',
        function: { name: REQUEST_APPROVAL_TOOL, arguments: requestText(call, shown, { ...card, rule }, expiresAt) },
      },
    ],
  });
  const { reason, needs: _, ...shownCard } = card;
  const approval: ApprovalRecord = {
    ...shownCard,
    why: JSON.stringify(reason),
    id: approvalId,
    worldId: call.worldId,
    chatId,
    agentId: call.agentId,
    invocationId: call.id,
    messageId: message.id,
    toolName: call.toolName,
    status: 'pending',
    decision: null,
    scope: null,
    reason: null,
    decisionDigest: null,
    decidedBy: null,
    requestedAt: context.now,
    expiresAt,
    decidedAt: null,
  };
  const changes: RowChange[] = [];
  if (!isFromTool && call.approvalId !== approvalId) {
    const change = { status: 'asked', approvalId, callHash: card.callHash } as const;
    changes.push({ kind: 'call-changed', chatId, callId: call.id, change });
  }
  changes.push({ kind: 'message-written', message }, { kind: 'approval-requested', approval });
  const why = isFromTool ? `${describeReason(reason)}: ${card.question?.text}` : describeReason(reason);
  return {
    changes,
    events: [messageEvent(message), requestEvent(approval, call, shown, context)],
    records: [
      {
        kind: 'request',
        ...auditOf(call),
        ...(judged === undefined ? {} : { judged }),
        why,
        ...(rule === null ? {} : { rule }),
      },
    ],
  };
}

function requestText(
  call: CallRecord,
  shown: unknown,
  asked: ApprovalRequested['card'],
  expiresAt: number | null,
): string {
  const { id, toolName } = call;
  const { rule, reason, rehearsal, claimed, applies, signing: _, ...card } = asked;
  const given = Object.entries({
    ...card,
    ...shownEffect({ rehearsal, claimed }),
    ...shownContext({ claimed }),
    reason,
    why: describeReason(reason),
    rule,
  }).filter(([, value]) => value !== null);
  return JSON.stringify({
    originalToolCall: { id, name: toolName, arguments: shown },
    ...Object.fromEntries(given),
    ...(takesEdits({ applies, toolName }) ? {} : { editable: false }),
    ...(call.editedBy !== null ? { edited: true } : {}),
    ...(expiresAt === null ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
  });
}

/** Whether a person may change the arguments: not if another program takes only a yes or no, or if the effect was sealed before the call was made. */
export function takesEdits({ applies, toolName }: Pick<ApprovalRecord, 'applies' | 'toolName'>): boolean {
  return applies !== 'verdict' && toolName !== RUN_TOOL;
}

/** What a rehearsal found, as it is sent to people. */
export function shownEffect({
  rehearsal,
  claimed,
}: Pick<ApprovalRecord, 'rehearsal' | 'claimed'>): Pick<Approval, 'effect' | 'noEffect' | 'prediction'> {
  if (hasPrediction(claimed)) return { prediction: claimed.prediction };
  if (rehearsal === null) return {};
  return 'effect' in rehearsal ? { effect: rehearsal.effect } : { noEffect: rehearsal.noEffect };
}

/** What the program that proposed the call says about its session. */
export function shownContext({ claimed }: Pick<ApprovalRecord, 'claimed'>): Pick<Approval, 'claimedContext'> {
  return claimed?.context === undefined ? {} : { claimedContext: claimed.context };
}

export function hasPrediction(claimed: ClaimedEvidence | null): claimed is PredictedEvidence {
  return claimed?.prediction !== undefined;
}

function requestEvent(
  { id, chatId, question }: ApprovalRecord,
  call: CallRecord,
  shown: unknown,
  context: FactContext,
): Emission {
  // The call has already started and can't go back to requested (TURN4), so this tells clients to reload the queue.
  if (question?.raisedBy === 'tool') return { event: 'crud', chatId, data: approvalData('create', id) };
  return toolEvent(context, call, {
    type: 'TOOL_APPROVAL_REQUESTED',
    arguments: shown,
    approval_id: id,
    ...(question === null ? {} : { question: { text: question.text, choices: [...question.choices] } }),
  });
}

function approvalData(
  operation: 'create' | 'update',
  id: string,
): { operation: 'create' | 'update'; entity: 'approval'; id: string } {
  return { operation, entity: 'approval', id };
}

/**
 * The only place that adds a signature to a pending approval: its row, a `role: 'tool'` message with the approval's id, and its audit record. The
 * last signature is a decision instead.
 */
export function approvalSigned(fact: ApprovalSigned, context: FactContext): Derived {
  const { approvalId, chatId, by, principal, reason, needs, receipt, batch } = fact;
  const approval = context.state.approvals.get(approvalId);
  if (approval === undefined || approval.signing === null)
    throw new Error(`The approval "${approvalId}" accepts no signatures.`);
  const call = callIn(context.state, fact.callId);
  const { who, via } = by;
  const message = callMessage(context, call, {
    role: 'tool',
    sender: who.name,
    who: whoText(who),
    speaker: 'tool',
    content: JSON.stringify({ signed: true, via, reason, needs, batch: batch?.id }),
    toolCallId: approvalId,
    replyTo: approval.messageId,
  });
  const passkey = receipt?.passkeyId;
  const signing = withSignature(approval.signing, { who, via, at: context.now, passkey, principal, batch });
  const rule = fact.rule === undefined ? {} : { rule: maskSecrets(fact.rule) };
  const why = reason === undefined ? {} : { why: maskSecrets(reason) };
  return {
    changes: [
      { kind: 'approval-signed', chatId, approvalId, signing },
      { kind: 'message-written', message },
    ],
    // The call's status doesn't change, so this tells clients to reload the queue.
    events: [messageEvent(message), { event: 'crud', chatId, data: approvalData('update', approvalId) }],
    records: [
      {
        kind: 'sign',
        ...auditOf(call),
        decision: 'approve',
        scope: 'once',
        ...by,
        ...signedFor(principal),
        ...inBatch(batch),
        ...why,
        ...rule,
        ...(receipt === undefined ? {} : { receipt: receipt.receipt }),
      },
    ],
  };
}

function withSignature(
  signing: SigningRecord,
  {
    passkey,
    principal,
    batch,
    ...signature
  }: {
    who: Who;
    via: string;
    at: number;
    passkey: string | undefined;
    principal: Principal | undefined;
    batch: BatchName | undefined;
  },
): SigningRecord {
  const key = passkey === undefined ? {} : { passkey };
  const of = batch === undefined ? {} : { batch: batch.hash };
  return { ...signing, signed: [...signing.signed, { ...signature, ...key, ...signedFor(principal), ...of }] };
}

function inBatch(batch: BatchName | undefined): { batch?: string } {
  return batch === undefined ? {} : { batch: batch.id };
}

function signedFor(principal: Principal | undefined): { for?: Principal } {
  return principal === undefined ? {} : { for: principal };
}

const STATUS = {
  approve: 'approved',
  answer: 'approved',
  release: 'approved',
  deny: 'denied',
  expire: 'expired',
  supersede: 'superseded',
} as const;

/**
 * The only place that ends an approval: its row, the decision as a `role: 'tool'` message with its id (CALL4), and its audit record. A separate
 * fact settles a denied call. If a running tool asked a question, its call continues.
 */
export function approvalDecided(fact: ApprovalDecided, context: FactContext): Derived {
  const { approvalId, chatId, how, by, scope = 'once', digest } = fact;
  const approval = context.state.approvals.get(approvalId);
  if (approval === undefined) throw new Error(`The approval "${approvalId}" is not pending.`);
  const call = callIn(context.state, fact.callId);
  const isFromTool = approval.question?.raisedBy === 'tool';
  const status = STATUS[how];
  const decision = status === 'approved' ? 'approve' : 'deny';
  const signed = whoText(by);
  const reason = how === 'release' ? coveredBy(fact.rule) : fact.reason;
  const message = callMessage(context, call, {
    role: 'tool',
    sender: by.name,
    who: signed,
    // Not `human`: a decision is not a chat message and resets no limit (WORLD12).
    speaker: 'tool',
    content: JSON.stringify({
      decision,
      scope,
      reason,
      ...(how === 'expire' ? { expired: true } : {}),
      ...(how === 'supersede' ? { superseded: true } : {}),
      via: fact.via,
      digest,
      ...(how === 'release' ? { released: true } : {}),
      ...((how === 'release' || by.kind === 'agent') && fact.rule !== undefined
        ? { rule: maskSecrets(fact.rule) }
        : {}),
      ...(isFromTool && fact.answer !== undefined ? { answer: fact.answer } : {}),
      ...inBatch(fact.batch),
      ...fact.details,
    }),
    toolCallId: approvalId,
    replyTo: approval.messageId,
  });
  const verdict = {
    status,
    decision,
    scope,
    reason: reason ?? null,
    decisionDigest: digest ?? null,
    decidedBy: signed,
    decidedAt: context.now,
  } as const;
  // The last signature is judged again before the call starts, like the others.
  const { via = '', passkey, principal, batch } = fact;
  const signing =
    (how !== 'approve' && how !== 'answer') || approval.signing === null
      ? undefined
      : withSignature(approval.signing, { who: by, via, at: context.now, passkey, principal, batch });
  const changes: RowChange[] = [
    ...(signing === undefined ? [] : [{ kind: 'approval-signed', chatId, approvalId, signing } as const]),
    { kind: 'approval-settled', chatId, agentId: approval.agentId, approvalId, change: verdict },
    { kind: 'message-written', message },
  ];
  if (fact.approved !== undefined) {
    if (call.status !== 'asked' || call.approvalId !== approvalId) {
      throw new Error(`The call "${call.id}" is not waiting for the approval "${approvalId}".`);
    }
    const change = { status: 'approved', callHash: fact.approved.callHash } as const;
    changes.push({ kind: 'call-changed', chatId, callId: call.id, change });
  }
  const events = [messageEvent(message)];
  if (isFromTool) events.push({ event: 'crud', chatId, data: approvalData('update', approvalId) });
  else if (status === 'approved') events.push(approvedEvent(fact, reason, call, context));
  return { changes, events, records: decisionRecord(fact, reason, isFromTool, call) };
}

function coveredBy(rule: string | undefined): string {
  return rule === undefined ? 'covered by a grant for this chat' : `covered by the rule ${maskSecrets(rule)}`;
}

function approvedEvent(
  { how }: ApprovalDecided,
  reason: string | undefined,
  call: CallRecord,
  context: FactContext,
): Emission {
  return toolEvent(context, call, {
    type: 'TOOL_APPROVED',
    ...(reason === undefined ? {} : { reason: how === 'release' ? reason : maskSecrets(reason) }),
    ...(call.editedBy !== null ? { arguments: maskArguments(call.arguments).value } : {}),
  });
}

/** How many bytes of a text an audit record keeps; the transcript has the full text. */
const AUDITED_BYTES = 4096;

const AUDITED = { approve: 'approve', deny: 'deny', answer: 'answer', release: 'release', expire: 'expired' } as const;

/** The audit record (LOG1). A superseded approval has none: the request that replaces it is recorded instead. */
function decisionRecord(
  { how, by, via, client, scope, answer, approved, rule, receipt, principal, batch, shownMs }: ApprovalDecided,
  reason: string | undefined,
  isFromTool: boolean,
  call: CallRecord,
): readonly NewAuditRecord[] {
  if (how === 'supersede') return [];
  const given = answer === undefined || isFromTool ? reason : capText(answer, AUDITED_BYTES);
  const record: NewAuditRecord = {
    kind: 'decision',
    ...auditOf(call),
    decision: AUDITED[how],
    ...(scope === undefined ? {} : { scope }),
    ...(approved !== undefined && call.editedBy !== null ? { edited: true } : {}),
    ...inBatch(batch),
    ...(shownMs === undefined ? {} : { shownMs }),
    who: by,
    ...signedFor(principal),
    ...(via === undefined ? {} : { via }),
    ...(client === undefined ? {} : { client }),
    ...(given === undefined ? {} : { why: how === 'release' ? given : maskSecrets(given) }),
    ...(rule === undefined ? {} : { rule: maskSecrets(rule) }),
    ...(receipt === undefined ? {} : { receipt }),
  };
  return [record];
}
