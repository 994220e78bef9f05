import { afterSigning, ClientError, isTransient, type Answer, type ApprovalView } from '@countersign/client';
import type { ToolResultReply } from '@countersign/protocol';
import { indented } from '../text/behind-bar.js';
import { columnsOf, type Asked, type ApprovalPrompt } from './approval-prompt.js';

/** `refused`: the rule or the arguments are invalid; the call is still waiting. */
type Sent = Asked | { readonly kind: 'refused' };

export async function sendDecision(prompt: ApprovalPrompt, approval: ApprovalView, answer: Answer): Promise<Asked> {
  return orLater(await tryDecision(prompt, approval, answer));
}

/** Like `sendDecision`, for input that the person can correct. */
export async function tryDecision(prompt: ApprovalPrompt, approval: ApprovalView, answer: Answer): Promise<Sent> {
  const kind = answer.decision === 'approve' ? 'approved' : 'denied';
  return await send(prompt, () => prompt.client.decide(prompt.world, approval, answer), kind);
}

export async function sendWords(prompt: ApprovalPrompt, { approvalId }: ApprovalView, content: string): Promise<Asked> {
  return orLater(
    await send(prompt, () => prompt.client.answer(prompt.world, { toolCallId: approvalId, content }), 'answered'),
  );
}

function orLater(sent: Sent): Asked {
  return sent.kind === 'refused' ? { kind: 'later' } : sent;
}

async function send(
  { keyboard, context }: ApprovalPrompt,
  act: () => Promise<ToolResultReply>,
  kind: 'approved' | 'denied' | 'answered',
): Promise<Sent> {
  try {
    const reply = await act();
    if (reply.state !== 'asked') return { kind };
    // The call needs more signatures, so it stays in the queue, for other people.
    keyboard.print(`${indented(afterSigning(reply.kind !== 'recorded'), columnsOf(context))}\n`);
    return { kind: 'signed' };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    keyboard.print(`${indented(error.detail, columnsOf(context))}\n`);
    // If this counted as decided, the person would not be asked again, and the agent would hang.
    if (error.kind !== 'problem' || isTransient(error)) return { kind: 'lost', why: error.detail };
    // The call was settled, expired or changed in the meantime. The queue has its current state.
    if (error.status === 422) return { kind: 'refused' };
    return { kind: error.status === 409 && error.state === 'asked' ? 'replaced' : 'gone' };
  }
}
