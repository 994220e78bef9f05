import {
  type QuestionAnswer,
  type Scope,
  type Signer,
  type StoredReceipt,
  type ToolDecision,
  type ToolResultOutcome,
  CountersignError,
  parseInput,
  signerSchema,
  toolDecisionSchema,
} from '@countersign/protocol';
import type { BatchName } from '../facts/fact.js';
import type { ApprovalRecord, CallStatus, RegisteredTool } from '../ports/index.js';
import { canonicalJson, type SigningRule } from '../policy/index.js';
import { firstApprovalId } from '../turn/ids.js';
import { answerQuestion, declineQuestion } from '../decisions/answer-question.js';
import { denyApproval, expireApproval } from '../decisions/deny-approval.js';
import {
  needsToDecide,
  prepareDecision,
  type DecidableCall,
  checkDecision,
  isAskedUnder,
  askAboutEdit,
  supersedeApproval,
  type CheckedDecision,
} from './check-decision.js';
import { signersOf } from '../requirements/needed-signatures.js';
import type { VerifiedReceipt } from '../requirements/check-receipt.js';
import { judgeSignature, type JudgedSignature } from '../decisions/judge-signature.js';
import { dropRehearsal } from '../step/drop-rehearsal.js';
import { reviewersFor, signingRulesOf } from './gate.js';
import { approvedHash } from '../evidence/hash-call.js';
import { commit, retryStale } from '../step/commit.js';
import type { Runtime, Step } from '../step/runtime.js';
import { releaseWaiting } from '../decisions/release-waiting.js';
import { startApproved } from './start.js';
import { resumeTurn } from '../step/move-turn.js';
import {
  byText,
  cannotAsk,
  reloadCall,
  digestOf,
  findCall,
  needsOf,
  recordRefusal,
  refused,
  refuseForeign,
  type FoundCall,
} from '../decisions/find-call.js';
import { errorMessage } from '../ports/error-message.js';

/** Validated and frozen signers. */
const validSigners = new WeakSet<Signer>();

/**
 * Handles a person's decision on an approval (CALL4) or their answer to a question. One transaction records it and wakes its turn; duplicates have no
 * further effect (CALL8). A decision that can't be applied is refused with the current state, changes nothing and is audited (HTTP14, CALL6).
 */
export async function decideCall(
  runtime: Runtime,
  worldId: string,
  agentId: string | undefined,
  input: ToolDecision | QuestionAnswer,
  signer: Signer,
  receipt?: VerifiedReceipt,
): Promise<ToolResultOutcome> {
  if (!validSigners.has(signer)) {
    parseInput(signerSchema, signer, 'signer');
    if (Object.isFrozen(signer)) validSigners.add(signer);
  }
  if (isAnswer(input)) {
    if (typeof input.tool_call_id === 'string') await runtime.process.resumeUnfinished({ callId: input.tool_call_id });
    return await answerQuestion(runtime, worldId, agentId, input, signer);
  }
  const sent = readDecision(input);
  await runtime.process.resumeUnfinished({ callId: sent.tool_call_id });
  const { reason: _, shownMs: __, ...same } = sent;
  const key = (): string => canonicalJson({ worldId, agentId: agentId ?? null, ...same });
  const known = runtime.caches.repeats.isEmpty() ? undefined : runtime.caches.repeats.find(key());
  if (known !== undefined) return known;
  const { outcome, chatId } = await commitDecision(runtime, worldId, { agentId, sent, signer, receipt });
  if (outcome.kind === 'recorded' && sent.decision === 'approve') {
    if (sent.scope === 'session') await releaseWaiting(runtime, worldId, chatId);
    // A short-lived command releases calls only in this chat: those it started in other chats would be interrupted when it exits. The next
    // server releases them.
    if (sent.scope === 'always')
      await releaseWaiting(runtime, worldId, runtime.process.endsSoon() ? chatId : undefined);
  }
  if (outcome.kind === 'repeated' && FINAL.has(outcome.state)) runtime.caches.repeats.keep(key(), outcome);
  return outcome;
}

function isAnswer(input: ToolDecision | QuestionAnswer): input is QuestionAnswer {
  return typeof input === 'object' && input !== null && 'content' in input && !('decision' in input);
}

/** Reads edited arguments once, as JSON: a getter could otherwise return one value for approval and another to run. */
function readDecision(input: ToolDecision): ToolDecision {
  const sent = parseInput(toolDecisionSchema, input, 'decision');
  if (sent.arguments === undefined) return sent;
  try {
    return { ...sent, arguments: JSON.parse(canonicalJson(sent.arguments)) as Record<string, unknown> };
  } catch (cause) {
    throw new CountersignError('invalid', `decision: arguments: ${errorMessage(cause)}`, { field: 'arguments', cause });
  }
}

/** Terminal states. */
const FINAL: ReadonlySet<string> = new Set(['succeeded', 'failed', 'denied'] satisfies CallStatus[]);

async function commitDecision(
  runtime: Runtime,
  worldId: string,
  asked: Pick<DecisionInput, 'agentId' | 'sent' | 'signer' | 'receipt'>,
): Promise<{ outcome: ToolResultOutcome; chatId: string | undefined }> {
  const { sent, signer } = asked;
  let isAgain = false;
  let tool: RegisteredTool | undefined;
  return await retryStale(async () => {
    const before = await findCall(runtime, worldId, sent.tool_call_id);
    // Read before the step, because signing may read files; the step checks the result again.
    const decidable = before === undefined ? undefined : await prepareDecision(runtime, worldId, before, sent);
    if (decidable?.ok === true) ({ tool } = decidable.call.call);
    // If a rule was added in between, the step detects it and is retried with the people loaded.
    if (sent.decision === 'approve' && before?.approval?.status === 'pending') {
      await runtime.confirmPeople([
        ...signersOf(before.approval),
        ...(await principalsOf(runtime, before.approval, signer)),
      ]);
    }
    const people = isAgain || (before?.approval?.signing ?? null) !== null ? { people: true } : {};
    isAgain = true;
    const needs = { ...needsOf(before, signer), ...needsToDecide(decidable), ...people };
    const decided = await commit(runtime, 'decision', worldId, needs, (step) => {
      const found = before === undefined ? undefined : reloadCall(step, before);
      const outcome =
        found === undefined
          ? refused('unknown', 'there is no call or approval with this id')
          : decide(runtime, step, { ...asked, found, worldId, decidable });
      if (outcome.kind === 'refused') recordRefusal(step, worldId, found, outcome, signer);
      return { outcome, chatId: found?.invocation.chatId };
    });
    // If it ended while it was rehearsed here, nothing else deletes that rehearsal.
    if (before !== undefined && FINAL.has(decided.outcome.state ?? ''))
      dropRehearsal(runtime, tool, before.invocation.id);
    return decided;
  });
}

/** The ids of the people for whom this person may sign. */
async function principalsOf(
  { store }: Pick<Runtime, 'store'>,
  { signing }: ApprovalRecord,
  { who }: Signer,
): Promise<string[]> {
  if (signing === null || who.kind !== 'person') return [];
  const delegations = await store.read((reader) => reader.delegations());
  return delegations.filter(({ data }) => data.delegation?.to === who.id).map(({ personId }) => personId);
}

export interface DecisionInput {
  found: FoundCall;
  sent: ToolDecision;
  agentId: string | undefined;
  worldId: string;
  decidable: DecidableCall | undefined;
  signer: Signer;
  /** Already verified, except that it is about this approval. */
  receipt?: VerifiedReceipt | undefined;
  /** Set if the call is decided together with others. Its hash was checked against the calls as they are now. */
  batch?: BatchName;
}

/** A decision that can be recorded, if the rules need no other signature. */
export interface JudgedDecision {
  kind: 'judged';
  approval: ApprovalRecord;
  decision: Exclude<CheckedDecision, { kind: 'edit' }>;
  /** The rules that say who must sign. */
  rules: readonly SigningRule[];
}

function decide(runtime: Runtime, step: Step, input: DecisionInput): ToolResultOutcome {
  const judged = judgeDecision(runtime, step, input);
  if (judged.kind !== 'judged') return judged;
  const { approval, decision, rules } = judged;
  const { found, signer, receipt } = input;
  const { invocation, turn } = found;
  let last: CountedSignature | undefined;
  if (decision.kind === 'approve' && rules.length > 0) {
    const signature = judgeSignature(step, { approval, invocation, turn, rules, signer, receipt });
    if (!('needs' in signature)) return refuseSignature(input, signature);
    if (signature.kind === 'more-needed') return recordSignature(step, input, approval, signature);
    last = signature;
  }
  recordDecision(runtime, step, input, judged, last);
  if (decision.kind === 'approve') startDecided(runtime, step, input, decision.scope);
  return recorded(input);
}

export function recorded({ found: { invocation }, sent }: DecisionInput): ToolResultOutcome {
  const state = sent.decision === 'approve' ? 'approved' : 'denied';
  return { kind: 'recorded', status: 200, invocationId: invocation.id, state };
}

/** Checks a decision except for the signatures that rules require. A refusal may also end the approval: it has expired, or the call has changed. */
export function judgeDecision(runtime: Runtime, step: Step, input: DecisionInput): JudgedDecision | ToolResultOutcome {
  const { found, sent, agentId, worldId, decidable, signer, batch } = input;
  const { invocation, approval, turn } = found;
  const foreign = refuseForeign(found, { ...sent, worldId, agentId });
  if (foreign !== undefined) return foreign;
  const state = invocation.status;
  // A client that registered as unable to ask a person can't decide for one (CALL13).
  if (cannotAsk(step, signer)) {
    return refused('foreign', "this client registered with approvals: false, so it can't approve or deny calls", state);
  }
  if (approval === undefined) return refused('settled', 'this call did not need approval', state);
  if (approval.status !== 'pending') return outcomeOfRepeat(runtime, approval, input);
  if (turn.state === 'ended') return refused('settled', 'the turn of this call has ended', state);
  if (approval.expiresAt !== null && approval.expiresAt <= step.tx.now()) {
    expireApproval(runtime, step, { approval, invocation });
    return refused('expired', 'this approval has expired. Nothing ran', 'denied');
  }
  if (approval.question !== null) {
    return declineQuestion(runtime, step, found, approval, {
      sent,
      digest: decisionDigest(runtime, input),
      signer,
    });
  }
  if (sent.callHash !== undefined && sent.callHash !== approval.callHash) {
    return refused('changed', 'the call changed after it was shown. Review it again', state);
  }
  const renewed = approval.id !== firstApprovalId(invocation.id);
  if (renewed && !found.byApproval && sent.callHash === undefined) {
    return refused('changed', 'this call needs approval again. Decide on the new approval', state);
  }
  const rules = decidable?.ok === true ? signingRulesOf(step.snapshot, decidable.shown) : [];
  const unfit = refuseReview(
    step,
    input,
    approval,
    sent.decision === 'approve' ? rules : (approval.signing?.rules ?? []),
  );
  if (unfit !== undefined) return unfit;
  if (batch === undefined && supersedeApproval(runtime, step, { approval, invocation, decidable, rules })) {
    return refused(
      'changed',
      'something changed after the call was shown, so it needs approval again. The new approval says what changed',
      state,
    );
  }
  const checked = checkDecision(step, { sent, approval, invocation, decidable });
  if (!checked.ok) return refused('invalid', checked.detail, state);
  const { decision } = checked;
  if (decision.kind === 'edit') {
    askAboutEdit(runtime, step, { approval, invocation, edit: decision, by: signer });
    return refused('changed', 'the edited call needs approval. Check what it will do, then approve it', state);
  }
  if (decision.kind === 'approve' && rules.length > 0 && !isAskedUnder(approval, rules))
    return refused('changed', 'the rules changed. Review the call again', state);
  return { kind: 'judged', approval, decision, rules };
}

/** An agent decides only in its own turn about this approval, and only while a rule names it for this call (SIGN3). */
function refuseReview(
  step: Step,
  { signer: { who }, sent, found: { invocation } }: DecisionInput,
  approval: ApprovalRecord,
  rules: readonly SigningRule[],
): ToolResultOutcome | undefined {
  if (who.kind !== 'agent') return undefined;
  const reviewer = reviewersFor(step, approval, rules).find(({ id }) => id === who.id);
  // `judgeSignature` refuses it, and says who may sign.
  if (reviewer === undefined && sent.decision === 'approve' && rules.length > 0) return undefined;
  if (reviewer !== undefined && reviewer.problem === undefined && reviewer.isReviewing) return undefined;
  return refused('not-allowed', `no rule lets agent ${who.name} decide this call`, invocation.status);
}

/** The rule that a decision is recorded under: for an agent, the one that names it. */
function ruleFor({ who }: Signer, { signing, rule }: ApprovalRecord): string | undefined {
  const named = who.kind === 'agent' ? signing?.rules.find(({ by }) => by.agent === who.id)?.rule : undefined;
  return named ?? rule ?? undefined;
}

export type CountedSignature = Extract<JudgedSignature, { needs: unknown }>;

/** A signature that isn't the last one leaves the approval pending (SIGN1). */
export function recordSignature(
  step: Step,
  { found: { invocation }, sent, signer, receipt, batch }: DecisionInput,
  approval: ApprovalRecord,
  { needs, principal }: CountedSignature,
): ToolResultOutcome {
  const { chatId, id: callId, status: state } = invocation;
  const about = {
    chatId,
    callId,
    approvalId: approval.id,
    by: signer,
    principal,
    reason: sent.reason,
    rule: ruleFor(signer, approval),
    batch,
  };
  const passkey =
    receipt === undefined
      ? {}
      : { receipt: { passkeyId: receipt.passkeyId, receipt: storedReceipt(receipt, approval) } };
  step.tx.write({ kind: 'approval-signed', ...about, needs, ...passkey });
  return { kind: 'recorded', status: 200, invocationId: callId, state };
}

export function refuseSignature(
  { found: { invocation } }: DecisionInput,
  signature: Exclude<JudgedSignature, CountedSignature>,
): ToolResultOutcome {
  const { id: invocationId, status: state } = invocation;
  return signature.kind === 'refused'
    ? refused('not-allowed', signature.detail, state)
    : { kind: 'repeated', status: 200, invocationId, state };
}

/** Kept with the audit record, so that it can be verified from an export (SIGN2). */
function storedReceipt({ receipt }: VerifiedReceipt, { callHash }: ApprovalRecord): StoredReceipt {
  return { ...receipt, callHash };
}

/** An identical decision is accepted and does nothing; a different one is too late (HTTP14). */
function outcomeOfRepeat(
  runtime: Runtime,
  approval: ApprovalRecord,
  input: Pick<DecisionInput, 'sent' | 'batch' | 'found'>,
): ToolResultOutcome {
  const { invocation } = input.found;
  const state = invocation.status;
  if (approval.status === 'expired') return refused('expired', 'this approval has expired. Nothing ran', state);
  if (approval.status === 'superseded')
    return refused('changed', 'this call needs approval again. Decide on the new approval', state);
  if (approval.decisionDigest !== null && approval.decisionDigest === decisionDigest(runtime, input)) {
    return { kind: 'repeated', status: 200, invocationId: invocation.id, state };
  }
  return refused('settled', `this was already ${approval.status}${byText(approval)}`, state);
}

/** Identifies a decision, without its reason. Keyed, so that a short secret in an edit can't be guessed from the digest. */
function decisionDigest(runtime: Runtime, { sent, batch }: Pick<DecisionInput, 'sent' | 'batch'>): string {
  const { decision, scope, arguments: edited, pattern, rule } = sent;
  const sameScope = decision === 'approve' ? (scope ?? 'once') : undefined;
  const same = {
    decision,
    scope: sameScope ?? null,
    edited: edited ?? null,
    pattern: pattern ?? null,
    rule: rule ?? null,
    ...(batch === undefined ? {} : { batch: batch.hash }),
  };
  return digestOf(runtime, same);
}

export function recordDecision(
  runtime: Runtime,
  step: Step,
  input: DecisionInput,
  { approval, decision, rules }: JudgedDecision,
  last: CountedSignature | undefined,
): void {
  const { found, sent, signer, decidable, receipt, batch } = input;
  const { invocation } = found;
  const { reason } = sent;
  const { chatId, id: callId, toolName, arguments: text } = invocation;
  const decided = {
    reason,
    by: signer.who,
    via: signer.via,
    client: signer.client,
    digest: decisionDigest(runtime, input),
    rule: ruleFor(signer, approval),
    batch,
    // No card is on the screen before its call was asked.
    ...(sent.shownMs === undefined ? {} : { shownMs: Math.min(sent.shownMs, step.tx.now() - approval.requestedAt) }),
  };
  if (decision.kind === 'deny') {
    const error = `User denied approval for ${toolName}`;
    const denied = { how: 'deny', scope: 'once', ...decided } as const;
    denyApproval(runtime, step, { approval, invocation }, denied, error, reason ?? 'no reason given');
    return;
  }
  const { scope } = decision;
  // The hash of what was shown. If the world changed since, starting the call detects it (CALL7).
  const together = decidable?.ok === true ? decidable.shown.signed?.callHash : undefined;
  const shown = batch === undefined ? approval.callHash : (together ?? '');
  const approved = { callHash: approvedHash(runtime.store.hashKey, shown, rules) };
  const about = { chatId, callId, approvalId: approval.id, how: 'approve', scope } as const;
  const details = last === undefined ? decision.record : { ...decision.record, needs: last.needs };
  // Without a rule about signers, nobody checked what the receipt is about.
  const signed = receipt === undefined || rules.length === 0 ? undefined : storedReceipt(receipt, approval);
  step.tx.write({
    kind: 'approval-decided',
    ...about,
    ...decided,
    approved,
    details,
    receipt: signed,
    passkey: signed === undefined ? undefined : receipt?.passkeyId,
    principal: last?.principal,
  });
  decision.writeGrantOrRule(step, signer);
  if (step.tx.outcomeUnknown(decision.keys)) {
    step.tx.write({ kind: 'outcome-accepted', chatId, toolName, arguments: text });
  }
}

function startDecided(
  runtime: Runtime,
  step: Step,
  { found: { invocation, turn }, decidable }: DecisionInput,
  scope: Scope,
): void {
  const isOpen = resumeTurn(runtime, step, turn.id);
  // With scope `always` the rules have changed, so the call is judged again before it starts.
  const mayStart = isOpen && scope !== 'always' && decidable?.ok === true;
  const started = mayStart ? startApproved(runtime, step, invocation.id, decidable.call, decidable.rev) : undefined;
  if (isOpen) runtime.dispatch.wake(step, turn.id, started === undefined ? [] : [started]);
}
