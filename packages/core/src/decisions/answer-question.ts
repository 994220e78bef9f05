import {
  describeReason,
  parseInput,
  questionAnswerSchema,
  type QuestionAnswer,
  type Signer,
  type ToolDecision,
  type ToolResultOutcome,
} from '@countersign/protocol';
import { needsToDecide, prepareDecision, supersedeApproval, type DecidableCall } from '../call/check-decision.js';
import { gateProposal, signingRulesOf } from '../call/gate.js';
import { withQuestion } from '../call/prepare.js';
import { approvedHash } from '../evidence/hash-call.js';
import type { Fact } from '../facts/fact.js';
import type { SigningRule } from '../policy/index.js';
import type { ApprovalRecord, AskingTool } from '../ports/index.js';
import { denyApproval, expireApproval } from './deny-approval.js';
import { judgeSignature, type JudgedSignature } from './judge-signature.js';
import { resumeTurn } from '../step/move-turn.js';
import { commit, retryStale } from '../step/commit.js';
import type { Runtime, Step } from '../step/runtime.js';
import { settleCall } from '../call/settle.js';
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
} from './find-call.js';

/**
 * Handles a person's answer to a question (HTTP2). One transaction stores it and wakes the turn. Only the first answer counts; an answer that can't be
 * applied is refused with the current state. The text is data: it approves nothing.
 */
export async function answerQuestion(
  runtime: Runtime,
  worldId: string,
  agentId: string | undefined,
  input: QuestionAnswer,
  signer: Signer,
): Promise<ToolResultOutcome> {
  const sent = parseInput(questionAnswerSchema, input, 'answer');
  let isAgain = false;
  return await retryStale(async () => {
    const before = await findCall(runtime, worldId, sent.tool_call_id);
    const isForProgram = before?.invocation.runBy === 'program';
    const asked = { tool_call_id: sent.tool_call_id, decision: 'approve' } as const;
    const decidable = isForProgram ? await prepareDecision(runtime, worldId, before, asked) : undefined;
    const people = isForProgram && (isAgain || before.approval?.signing !== null) ? { people: true } : {};
    isAgain = true;
    const needs = { ...needsOf(before, signer), ...needsToDecide(decidable), ...(isForProgram ? { asker: true } : {}) };
    return await commit(runtime, 'answer', worldId, { ...needs, ...people }, (step) => {
      const found = before === undefined ? undefined : reloadCall(step, before);
      const outcome =
        found === undefined
          ? refused('unknown', 'there is no call or approval with this id')
          : checkAnswer(runtime, step, found, { ...sent, worldId, agentId, decidable }, signer);
      if (outcome.kind === 'refused') recordRefusal(step, worldId, found, outcome, signer);
      return outcome;
    });
  });
}

function checkAnswer(
  runtime: Runtime,
  step: Step,
  found: FoundCall,
  sent: QuestionAnswer & { worldId: string; agentId: string | undefined; decidable: DecidableCall | undefined },
  signer: Signer,
): ToolResultOutcome {
  const { invocation, approval, turn } = found;
  const foreign = refuseForeign(found, sent);
  if (foreign !== undefined) return foreign;
  const state = invocation.status;
  if (approval === undefined || approval.question === null) {
    return refused('invalid', 'content: this call is not a question', state);
  }
  // A client that registered as unable to ask a person can't answer for one (CALL13).
  if (cannotAsk(step, signer)) {
    return refused('foreign', "this client registered with approvals: false, so it can't answer questions", state);
  }
  // Covers the question, too.
  const digest = digestOf(runtime, { answer: sent.content, callHash: approval.callHash });
  if (approval.status !== 'pending') return outcomeOfRepeat(approval, digest, found);
  if (turn.state === 'ended') return refused('settled', 'the turn of this question has ended', state);
  if (approval.expiresAt !== null && approval.expiresAt <= step.tx.now()) {
    expireApproval(runtime, step, { approval, invocation });
    return refused('expired', 'this question has expired', state);
  }
  const given = { content: sent.content, digest, signer };
  if (invocation.runBy === 'program')
    return answerProgram(runtime, step, found, approval, { ...given, decidable: sent.decidable });
  recordAnswer(runtime, step, found, approval, { ...given, answer: sent.content });
  return { kind: 'recorded', status: 200, invocationId: invocation.id, state: 'answered' };
}

type JudgedAnswer = Extract<JudgedSignature, { needs: unknown }>;

interface GivenAnswer {
  content: string;
  digest: string;
  signer: Signer;
  /** The last signature that rules require. */
  signature?: JudgedAnswer | undefined;
}

/** What a program outside asks: the model gets the answer, the call continues, or it is denied with comments (EXT1.27). */
function answerProgram(
  runtime: Runtime,
  step: Step,
  found: FoundCall,
  approval: ApprovalRecord,
  { decidable, ...given }: GivenAnswer & { decidable: DecidableCall | undefined },
): ToolResultOutcome {
  const { invocation, turn } = found;
  const { id: callId, chatId, worldId, toolName, status } = invocation;
  const { content, digest, signer } = given;
  const asks = runtime.tools(worldId).get(toolName)?.asks;
  const answer = asks?.answer(JSON.parse(invocation.arguments), content);
  if (asks === undefined || answer === undefined)
    return refused('invalid', 'content: the program no longer takes an answer', status);
  const { who: by, via, client } = signer;
  const about = { by, via, client, digest };
  if (answer.kind === 'invalid') return refused('invalid', `content: ${answer.why}`, status);
  if (answer.kind === 'send-back') {
    const denied = { how: 'deny', reason: `Asked for changes: ${answer.comments}`, ...about } as const;
    denyApproval(runtime, step, { approval, invocation }, denied, `User denied approval for ${toolName}`);
    return { kind: 'recorded', status: 200, invocationId: callId, state: 'denied' };
  }
  const signed = signAnswer(runtime, step, found, approval, { asks, decidable, signer });
  if ('kind' in signed) return signed;
  const { rules, signature } = signed;
  switch (answer.kind) {
    case 'answered':
      recordAnswer(runtime, step, found, approval, { ...given, signature, answer: answer.text });
      return { kind: 'recorded', status: 200, invocationId: callId, state: 'answered' };
    case 'run': {
      // The hash of the question that was shown: starting the call checks it, as for an approval (CALL7).
      const approved = { callHash: approvedHash(runtime.store.hashKey, approval.callHash, rules) };
      const fact = { chatId, callId, approvalId: approval.id, how: 'answer', answer: content, approved } as const;
      step.tx.write({ kind: 'approval-decided', ...fact, ...about, ...signedWith(signature) });
      if (resumeTurn(runtime, step, turn.id)) runtime.dispatch.wake(step, turn.id);
      return { kind: 'recorded', status: 200, invocationId: callId, state: 'approved' };
    }
  }
}

/** The rules about signers that hold now, and the one signature of an answer, which must be enough for all of them (EXT1.34). */
function signAnswer(
  runtime: Runtime,
  step: Step,
  { invocation, turn }: FoundCall,
  approval: ApprovalRecord,
  { asks, decidable, signer }: { asks: AskingTool; decidable: DecidableCall | undefined; signer: Signer },
): { rules: readonly SigningRule[]; signature: JudgedAnswer | undefined } | ReturnType<typeof refused> {
  const { status } = invocation;
  if (decidable?.ok !== true) return refused('invalid', decidable?.detail ?? 'the call no longer exists', status);
  const shown = withQuestion(decidable.shown, asks);
  const gate = gateProposal(step, shown);
  if (gate.kind === 'refuse') return refused('not-allowed', describeReason(gate.reason), status);
  const rules = signingRulesOf(step.snapshot, shown);
  if (supersedeApproval(runtime, step, { approval, invocation, decidable: { ...decidable, shown }, rules }))
    return refused('changed', 'the call or its rules changed after the question was shown. Answer it again', status);
  if (rules.length === 0) return { rules, signature: undefined };
  if (rules.some(({ by }) => by.passkey === true)) return refused('not-allowed', NO_PASSKEY, status);
  const signature = judgeSignature(step, { approval, invocation, turn, rules, signer, receipt: undefined });
  if (signature.kind === 'refused') return refused('not-allowed', signature.detail, status);
  return signature.kind === 'last' ? { rules, signature } : refused('not-allowed', ONE_SIGNATURE, status);
}

const NO_PASSKEY = 'a rule requires a signature with a passkey, and an answer has none. Deny the question, and say why';
const ONE_SIGNATURE =
  'the rules require several signatures, and an answer has one. Deny the question, or change the rules';

function signedWith(
  signature: JudgedAnswer | undefined,
): Pick<Extract<Fact, { kind: 'approval-decided' }>, 'details' | 'principal'> {
  return signature === undefined ? {} : { details: { needs: signature.needs }, principal: signature.principal };
}

function outcomeOfRepeat(approval: ApprovalRecord, digest: string, { invocation }: FoundCall): ToolResultOutcome {
  const state = invocation.status;
  if (approval.status === 'expired') return refused('expired', 'this question has expired', state);
  if (approval.decisionDigest === digest) return { kind: 'repeated', status: 200, invocationId: invocation.id, state };
  return refused(
    'settled',
    `this question was already ${approval.status === 'denied' ? 'declined' : 'answered'}${byText(approval)}`,
    state,
  );
}

function recordAnswer(
  runtime: Runtime,
  step: Step,
  { invocation, turn }: FoundCall,
  approval: ApprovalRecord,
  { content, digest, signer, signature, answer: result }: GivenAnswer & { answer: string },
): void {
  const { chatId, id: callId } = invocation;
  const { who: by, via, client } = signer;
  const about = { chatId, callId, approvalId: approval.id };
  step.tx.write({
    kind: 'approval-decided',
    ...about,
    how: 'answer',
    by,
    via,
    client,
    digest,
    answer: content,
    ...signedWith(signature),
  });
  // The tool that asked is running and waits for this message.
  if (approval.question?.raisedBy === 'tool') return;
  step.tx.write({ kind: 'call-started', chatId, callId, epoch: turn.epoch });
  settleCall(runtime, step, invocation, { kind: 'succeeded', result: { answer: result } });
  if (resumeTurn(runtime, step, turn.id)) runtime.dispatch.wake(step, turn.id);
}

/** A decision on a question can only decline it: there is nothing to approve. */
export function declineQuestion(
  runtime: Runtime,
  step: Step,
  { invocation }: FoundCall,
  approval: ApprovalRecord,
  { sent, digest, signer }: { sent: ToolDecision; digest: string; signer: Signer },
): ToolResultOutcome {
  if (sent.decision === 'approve') {
    const detail = 'decision: this is a question. Answer it with content, or decline it with deny';
    return refused('invalid', detail, invocation.status);
  }
  const { who: by, via, client } = signer;
  const declined = { how: 'deny', reason: sent.reason, by, via, client, digest } as const;
  const error = 'Nobody answered the question';
  denyApproval(runtime, step, { approval, invocation }, declined, error);
  // If a running tool asked, it continues.
  const state = approval.question?.raisedBy === 'tool' ? invocation.status : 'denied';
  return { kind: 'recorded', status: 200, invocationId: invocation.id, state };
}
