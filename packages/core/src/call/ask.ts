import { defaultMessage, mapReason, type Question, type QuestionForm } from '@countersign/protocol';
import { markNew, whatChanged } from '../evidence/what-changed.js';
import type { SignedCall } from '../evidence/sign-call.js';
import type { Card } from '../facts/fact.js';
import type { StepTransaction } from '../facts/step-transaction.js';
import { fillMessage, maskArguments, maskSecrets, maskText, maskValue } from '../masking/index.js';
import type { Gate } from '../policy/check-tool-approval.js';
import { textOf } from '../ports/error-message.js';
import type { CallRecord, RegisteredTool } from '../ports/index.js';
import { requesterOf, showNeeds } from '../requirements/needed-signatures.js';
import { findReviewers } from '../requirements/reviewers.js';
import { capText } from '../results/index.js';
import { queueReviews } from '../step/move-turn.js';
import type { Runtime, Step } from '../step/runtime.js';
import { newId } from '../turn/ids.js';
import type { ParsedCall } from './parse.js';

/** The maximum number of waiting calls per agent, across all its chats (A34). */
const MAX_WAITING = 200;
/** The number of chats that an error message names. */
const MAX_NAMED = 3;

/**
 * Admits calls to the queue until it is full. Further calls fail instead of running without approval (A17). The store rejects the step if concurrent
 * responses by the same agent in other chats have filled the queue.
 */
export function limitWaiting(tx: StepTransaction, agentId: string): (gate: Gate) => Gate {
  let room: number | undefined;
  return (gate) => {
    if (gate.kind !== 'ask') return gate;
    room ??= roomFor(tx, agentId);
    if (room <= 0)
      return { kind: 'refuse', how: 'fail', reason: { code: 'cannot-run', problem: describeFull(tx, agentId) } };
    room -= 1;
    tx.limitPending(agentId, MAX_WAITING);
    return gate;
  };
}

/** Whether another call of this agent may wait for approval. */
export function hasRoom(tx: Pick<StepTransaction, 'pendingOf'>, agentId: string): boolean {
  return roomFor(tx, agentId) > 0;
}

function roomFor(tx: Pick<StepTransaction, 'pendingOf'>, agentId: string): number {
  return MAX_WAITING - tx.pendingOf(agentId).reduce((total, { waiting }) => total + waiting, 0);
}

/** Lists chats by id: a title may come from a model, and the model in another chat reads this text. */
function describeFull(tx: StepTransaction, agentId: string): string {
  const fullest = tx.pendingOf(agentId).slice(0, MAX_NAMED);
  const named = fullest.map(({ chatId, waiting }) => `${chatId} (${waiting})`).join(', ');
  return (
    `Nothing ran. ${MAX_WAITING} of your calls are already waiting for approval, most of them in the chats ${named}. ` +
    'Wait until a person has decided on some of them.'
  );
}

type Ask = Extract<Gate, { kind: 'ask' }>;

/** Asks people to approve a call or, with `question`, to answer a question. */
export function askApproval(
  runtime: Runtime,
  step: Step,
  approvalId: string,
  invocation: CallRecord,
  asked: {
    tool: RegisteredTool | undefined;
    gate: Ask;
    signed: SignedCall | undefined;
    question?: Question | undefined;
  },
): void {
  const { tool, signed } = asked;
  if (tool === undefined || signed === undefined) throw new Error("a call that can't be signed can't be approved");
  const { callHash, workingDirectory, sandbox, preview, rehearsal } = signed;
  const { value: shown, secrets } = maskArguments(invocation.arguments);
  const { reason, options, session, rule, proposedRule, signing: rules } = withoutSecrets(asked.gate, secrets);
  const signing = rules === undefined ? null : { rules, signed: [] };
  const turn = step.tx.turn(invocation.turnId);
  const { agentId } = invocation;
  const reviewers = findReviewers(rules ?? [], agentId, step.snapshot.agents, () => true);
  const { toolName } = invocation;
  const about = { requester: requesterOf(turn), people: step.tx.signers(), toolName, reviewers };
  const template = tool.claims?.approval?.message;
  const words = asked.question === undefined ? undefined : showQuestion(asked.question, secrets);
  writeRehearsal(step, invocation, signed);
  requestApproval(step, approvalId, invocation, {
    message: words?.text ?? fillMessage(template ?? defaultMessage(tool.definition.name), shown),
    options,
    callHash,
    workingDirectory,
    sandbox,
    preview,
    rehearsal,
    question: words === undefined ? null : { ...words, raisedBy: 'call' },
    session: session ?? null,
    proposedRule: proposedRule ?? null,
    reason,
    rule: rule ?? null,
    signing,
    needs: signing === null ? null : showNeeds(signing, about),
  });
  const approval = step.tx.approval(approvalId);
  const able = reviewers.filter(({ problem }) => problem === undefined).map(({ id }) => id);
  if (approval !== undefined) queueReviews(runtime, step, approval, able, turn?.requester ?? null);
}

/** Records that a call was rehearsed, before the event that the rehearsal led to. */
export function writeRehearsal(step: Step, { id: callId, chatId }: CallRecord, signed?: SignedCall): void {
  const { rehearsal = null } = signed ?? {};
  if (rehearsal?.ms !== undefined) step.tx.write({ kind: 'call-rehearsed', chatId, callId, rehearsal });
}

/**
 * Requests approval again if the call, its folder, the files it would overwrite or the rules changed since it was shown or approved, or if too few
 * of its signatures still count.
 */
export function askAgain(
  runtime: Runtime,
  step: Step,
  invocation: CallRecord,
  { tool }: ParsedCall,
  gate: Ask,
  signed: SignedCall,
  changedSince: 'shown' | 'approved' | 'signed' = invocation.status === 'asked' ? 'shown' : 'approved',
): void {
  const before = invocation.approvalId === null ? undefined : step.tx.approval(invocation.approvalId);
  const changed = before === undefined || changedSince === 'signed' ? {} : { changed: whatChanged(before, signed) };
  const reason = invocation.callHash === null ? gate.reason : { ...gate.reason, changedSince, ...changed };
  const marked = before === undefined ? signed : markNew(before, signed);
  askApproval(runtime, step, newId('approval'), invocation, { tool, gate: { ...gate, reason }, signed: marked });
}

/** Shows an approval card to people, with the world's deadline. */
export function requestApproval(
  { tx, snapshot }: Step,
  approvalId: string,
  { id: callId, chatId }: CallRecord,
  card: Card,
): void {
  const timeout = snapshot.world.settings.approvalTimeoutMs;
  const expiresAt = timeout === undefined ? null : tx.now() + timeout;
  tx.write({ kind: 'approval-requested', chatId, callId, approvalId, card, expiresAt });
}

/**
 * Masks the reason, which may quote the call, a rule or a tool's error. A proposed rule or pattern that contains a secret is dropped (A15);
 * a person can still write one.
 */
function withoutSecrets(gate: Ask, secrets: readonly string[]): Ask {
  const reason = mapReason(gate.reason, (text) => maskText(text, { alreadyKnown: secrets }).value);
  const tells = (text: string | undefined): boolean =>
    text !== undefined && (secrets.some((secret) => text.includes(secret)) || maskSecrets(text) !== text);
  const { proposedRule, session, options, ...rest } = gate;
  const dropsRule = tells(proposedRule);
  const dropsPattern = tells(session?.pattern);
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
export function showQuestion({ text, choices, form }: Question, secrets: readonly string[]): Question {
  const known = { alreadyKnown: secrets };
  const shown = (part: unknown, limit: number): string => {
    const { value } = maskValue(capText(textOf(part), limit), known);
    return textOf(value);
  };
  return {
    text: shown(text, TEXT_LIMIT_BYTES),
    choices: (choices ?? []).slice(0, MAX_CHOICES).map((choice) => shown(choice, CHOICE_LIMIT_BYTES)),
    ...(form === undefined || !isPlain(form, known) ? {} : { form }),
  };
}
