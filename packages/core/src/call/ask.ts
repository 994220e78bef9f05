import { defaultMessage, mapReason, type Question, type QuestionForm } from '@countersign/protocol';
import { sealJudged } from '../evidence/judged-call.js';
import { markNew, whatChanged } from '../evidence/what-changed.js';
import type { PreparedCall } from '../evidence/prepared-call.js';
import { hasPrediction } from '../facts/approvals.js';
import type { Card } from '../facts/fact.js';
import { fillMessage, maskArguments, maskText, maskValue, tellsSecret } from '../masking/index.js';
import type { Gate } from '../policy/check-tool-approval.js';
import { textOf } from '../ports/error-message.js';
import type { CallRecord, RunBy, TurnRecord } from '../ports/index.js';
import { requestersOf, showNeeds } from '../requirements/needed-signatures.js';
import { findReviewers } from '../requirements/reviewers.js';
import { capText } from '../results/index.js';
import { queueReviews } from '../step/move-turn.js';
import type { Runtime, Step } from '../step/runtime.js';
import { firstApprovalId, newId } from '../turn/ids.js';
import { refuseCall } from './settle.js';

type Ask = Extract<Gate, { kind: 'ask' }>;

/** The place of a call: its turn, its message and its position in it, and who runs it. */
interface CallSlot {
  turn: Pick<TurnRecord, 'id' | 'worldId' | 'chatId' | 'agentId'>;
  iteration: number;
  position: number;
  messageId: string;
  runBy?: RunBy;
}

/** Writes a call and, if the gate asks, its approval. The only place that proposes a call. */
export function writeProposal(
  runtime: Runtime,
  step: Step,
  prepared: PreparedCall,
  gate: Gate,
  { turn, runBy, ...slot }: CallSlot,
): void {
  const { id, signed } = prepared;
  const { tool, toolName, argumentsText } = prepared.call;
  const isAsked = gate.kind === 'ask';
  const call: CallRecord = {
    id,
    worldId: turn.worldId,
    chatId: turn.chatId,
    agentId: turn.agentId,
    turnId: turn.id,
    iteration: slot.iteration,
    position: slot.position,
    messageId: slot.messageId,
    toolName,
    arguments: argumentsText,
    editedBy: null,
    callHash: isAsked ? (signed?.callHash ?? null) : null,
    status: isAsked ? 'asked' : 'approved',
    runBy: runBy ?? (tool?.definition.location === 'client' ? 'client' : 'here'),
    readOnly: tool?.claims?.readOnly ?? false,
    idempotent: tool?.claims?.idempotent ?? false,
    approvalId: isAsked ? firstApprovalId(id) : null,
    startedEpoch: null,
    result: null,
    outcomeUnknown: false,
    createdAt: step.tx.now(),
    startedAt: null,
    settledAt: null,
  };
  step.tx.write({ kind: 'call-proposed', call });
  if (gate.kind === 'refuse') {
    writeRehearsal(step, call, prepared);
    refuseCall(runtime, step, call, gate);
  }
  if (isAsked) askApproval(runtime, step, firstApprovalId(id), call, prepared, gate);
}

/** Asks people to approve a call or to answer its question. */
export function askApproval(
  runtime: Runtime,
  step: Step,
  approvalId: string,
  record: CallRecord,
  prepared: PreparedCall,
  gate: Ask,
): void {
  const { signed, claimed } = prepared;
  const { tool } = prepared.call;
  if (tool === undefined || signed === undefined) throw new Error("a call that can't be signed can't be approved");
  const { callHash, workingDirectory, sandbox, preview, rehearsal } = signed;
  const { agentId, toolName } = record;
  const { value: shown, secrets } = maskArguments(record.arguments);
  const { reason, options, session, rule, proposedRule, signing: rules } = withoutSecrets(gate, secrets);
  const signing = rules === undefined ? null : { rules, signed: [] };
  const turn = step.tx.turn(record.turnId);
  const reviewers = findReviewers(rules ?? [], agentId, step.snapshot.agents, () => true);
  const about = { requesters: requestersOf(turn, record), people: step.tx.signers(), toolName, reviewers };
  const template = tool.claims?.approval?.message;
  // Only the first card asks: the call of an answered question never needs approval.
  const question = gate.reason.code === 'question' ? prepared.question : undefined;
  const words = question === undefined ? undefined : showQuestion(question, secrets);
  const isTold = record.runBy === 'here' && sandbox.kind === 'external';
  writeRehearsal(step, record, prepared);
  requestApproval(
    step,
    approvalId,
    record,
    {
      message: words?.text ?? fillMessage(template ?? defaultMessage(tool.definition.name), shown),
      options,
      callHash,
      workingDirectory,
      sandbox,
      preview,
      rehearsal,
      claimed,
      applies: isTold ? 'verdict' : signed.applies,
      question: words === undefined ? null : { ...words, raisedBy: 'call' },
      session: session ?? null,
      proposedRule: proposedRule ?? null,
      reason,
      rule: rule ?? null,
      signing,
      needs: signing === null ? null : showNeeds(signing, about),
    },
    sealJudged(runtime.store.hashKey, record, gate.judged),
  );
  const approval = step.tx.approval(approvalId);
  const able = reviewers.filter(({ problem }) => problem === undefined).map(({ id }) => id);
  if (approval !== undefined) queueReviews(runtime, step, approval, able, turn?.requester ?? null);
}

/** Records that a call was rehearsed, before the event that the rehearsal led to. */
export function writeRehearsal(
  step: Step,
  { id: callId, chatId }: CallRecord,
  { signed, claimed }: Pick<PreparedCall, 'signed' | 'claimed'>,
): void {
  const ran = hasPrediction(claimed) ? claimed : signed?.rehearsal;
  if (ran?.ms !== undefined) step.tx.write({ kind: 'call-rehearsed', chatId, callId, rehearsal: ran });
}

/**
 * Requests approval again if the call, its folder, the files it would overwrite or the rules changed since it was shown or approved, or if too few
 * of its signatures still count.
 */
export function askAgain(
  runtime: Runtime,
  step: Step,
  record: CallRecord,
  prepared: PreparedCall,
  gate: Ask,
  changedSince: 'shown' | 'approved' | 'signed' = record.status === 'asked' ? 'shown' : 'approved',
): void {
  const before = record.approvalId === null ? undefined : step.tx.approval(record.approvalId);
  const { signed } = prepared;
  const isKnown = before !== undefined && signed !== undefined;
  const changed = isKnown && changedSince !== 'signed' ? { changed: whatChanged(before, signed) } : {};
  const reason = record.callHash === null ? gate.reason : { ...gate.reason, changedSince, ...changed };
  const marked = isKnown ? { ...prepared, signed: markNew(before, signed) } : prepared;
  askApproval(runtime, step, newId('approval'), record, marked, { ...gate, reason });
}

/** Shows an approval card to people, with the world's deadline. */
export function requestApproval(
  { tx, snapshot }: Step,
  approvalId: string,
  { id: callId, chatId }: CallRecord,
  card: Card,
  judged: { judged?: string } = {},
): void {
  const timeout = snapshot.world.settings.approvalTimeoutMs;
  const expiresAt = timeout === undefined ? null : tx.now() + timeout;
  tx.write({ kind: 'approval-requested', chatId, callId, approvalId, card, expiresAt, ...judged });
}

/**
 * Masks the reason, which may quote the call, a rule or a tool's error. A proposed rule or pattern that contains a secret is dropped (SAFE6);
 * a person can still write one.
 */
function withoutSecrets(gate: Ask, secrets: readonly string[]): Ask {
  const reason = mapReason(gate.reason, (text) => maskText(text, { alreadyKnown: secrets }).value);
  const { proposedRule, session, options, ...rest } = gate;
  const dropsRule = tellsSecret(proposedRule, secrets);
  const dropsPattern = tellsSecret(session?.pattern, secrets);
  const offer = dropsPattern ? (session?.any === true ? { any: true } : undefined) : session;
  const dropped = new Set([
    ...(dropsRule ? ['approve_always'] : []),
    ...(offer === undefined ? ['approve_session'] : []),
  ]);
  return {
    ...rest,
    reason,
    options: options.filter((option) => !dropped.has(option)),
    ...(offer === undefined ? {} : { session: offer }),
    ...(proposedRule === undefined || dropsRule ? {} : { proposedRule }),
  };
}

/** Limits for the text on a card. */
const TEXT_LIMIT_BYTES = 16 * 1024;
const CHOICE_LIMIT_BYTES = 1024;
const MAX_CHOICES = 50;

/** A mask in a form would be sent back as a value, so a form with a mask is dropped and only the text is shown. */
function isPlain(form: QuestionForm, known: { alreadyKnown: readonly string[] }): boolean {
  const text = JSON.stringify(form);
  return text.length <= TEXT_LIMIT_BYTES && JSON.stringify(maskValue(form, known).value) === text;
}

/** A question as shown to people: truncated, and masked like a call's arguments. */
export function showQuestion({ text, choices, form, approves }: Question, secrets: readonly string[]): Question {
  const known = { alreadyKnown: secrets };
  const shown = (part: unknown, limit: number): string => {
    const { value } = maskValue(capText(textOf(part), limit), known);
    return textOf(value);
  };
  return {
    text: shown(text, TEXT_LIMIT_BYTES),
    choices: (choices ?? []).slice(0, MAX_CHOICES).map((choice) => shown(choice, CHOICE_LIMIT_BYTES)),
    ...(form === undefined || !isPlain(form, known) ? {} : { form }),
    ...(approves === undefined ? {} : { approves }),
  };
}
