import {
  parseInput,
  questionAnswerSchema,
  type QuestionAnswer,
  type Signer,
  type ToolDecision,
  type ToolResultOutcome,
} from '@countersign/protocol';
import type { ApprovalRecord } from '../ports/index.js';
import { denyApproval, expireApproval } from './deny-approval.js';
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
  return await retryStale(async () => {
    const before = await findCall(runtime, worldId, sent.tool_call_id);
    return await commit(runtime, 'answer', worldId, needsOf(before, signer), (step) => {
      const found = before === undefined ? undefined : reloadCall(step, before);
      const outcome =
        found === undefined
          ? refused('unknown', 'there is no call or approval with this id')
          : checkAnswer(runtime, step, found, { ...sent, worldId, agentId }, signer);
      if (outcome.kind === 'refused') recordRefusal(step, worldId, found, outcome, signer);
      return outcome;
    });
  });
}

function checkAnswer(
  runtime: Runtime,
  step: Step,
  found: FoundCall,
  sent: QuestionAnswer & { worldId: string; agentId: string | undefined },
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
  if (invocation.runBy === 'program') return answerProgram(runtime, step, found, approval, given);
  recordAnswer(runtime, step, found, approval, { ...given, answer: sent.content });
  return { kind: 'recorded', status: 200, invocationId: invocation.id, state: 'answered' };
}

interface GivenAnswer {
  content: string;
  digest: string;
  signer: Signer;
}

/** What a program outside asks: the model gets the answer, the call continues, or it is denied with comments (EXT1.27). */
function answerProgram(
  runtime: Runtime,
  step: Step,
  found: FoundCall,
  approval: ApprovalRecord,
  given: GivenAnswer,
): ToolResultOutcome {
  const { invocation, turn } = found;
  const { id: callId, chatId, worldId, toolName, status } = invocation;
  const { content, digest, signer } = given;
  const asks = runtime.tools(worldId).get(toolName)?.asks;
  const answer = asks?.answer(JSON.parse(invocation.arguments), content);
  if (answer === undefined) return refused('invalid', 'content: the program no longer takes an answer', status);
  const { who: by, via, client } = signer;
  const about = { by, via, client, digest };
  switch (answer.kind) {
    case 'invalid':
      return refused('invalid', `content: ${answer.why}`, status);
    case 'answered':
      recordAnswer(runtime, step, found, approval, { ...given, answer: answer.text });
      return { kind: 'recorded', status: 200, invocationId: callId, state: 'answered' };
    case 'send-back': {
      const denied = { how: 'deny', reason: `Asked for changes: ${answer.comments}`, ...about } as const;
      denyApproval(runtime, step, { approval, invocation }, denied, `User denied approval for ${toolName}`);
      return { kind: 'recorded', status: 200, invocationId: callId, state: 'denied' };
    }
    case 'run': {
      // The hash of the question that was shown: starting the call checks it, as for an approval (CALL7).
      const approved = { callHash: approval.callHash };
      const fact = { chatId, callId, approvalId: approval.id, how: 'answer', answer: content, approved } as const;
      step.tx.write({ kind: 'approval-decided', ...fact, ...about });
      if (resumeTurn(runtime, step, turn.id)) runtime.dispatch.wake(step, turn.id);
      return { kind: 'recorded', status: 200, invocationId: callId, state: 'approved' };
    }
  }
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
  { content, digest, signer, answer: result }: GivenAnswer & { answer: string },
): void {
  const { chatId, id: callId } = invocation;
  const { who: by, via, client } = signer;
  const about = { chatId, callId, approvalId: approval.id };
  step.tx.write({ kind: 'approval-decided', ...about, how: 'answer', by, via, client, digest, answer: content });
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
