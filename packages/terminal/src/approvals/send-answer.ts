import { ClientError, isPassing, type Answer, type ApprovalView } from '@countersign/client';
import { indented } from '../text/behind-bar.js';
import { columnsOf, type Asked, type Desk } from './desk.js';

/** `refused`: what was written is wrong, a rule or arguments; the call still waits. */
type Sent = Asked | { readonly kind: 'refused' };

export async function sendDecision(desk: Desk, approval: ApprovalView, answer: Answer): Promise<Asked> {
  return orLater(await tryDecision(desk, approval, answer));
}

/** The same where the person can mend what was wrong. */
export async function tryDecision(desk: Desk, approval: ApprovalView, answer: Answer): Promise<Sent> {
  const kind = answer.decision === 'approve' ? 'approved' : 'denied';
  return await send(desk, () => desk.client.decide(desk.world, approval, answer), kind);
}

export async function sendWords(desk: Desk, { approvalId }: ApprovalView, content: string): Promise<Asked> {
  return orLater(
    await send(desk, () => desk.client.answer(desk.world, { toolCallId: approvalId, content }), 'answered'),
  );
}

function orLater(sent: Sent): Asked {
  return sent.kind === 'refused' ? { kind: 'later' } : sent;
}

async function send(
  { keyboard, context }: Desk,
  act: () => Promise<unknown>,
  kind: 'approved' | 'denied' | 'answered',
): Promise<Sent> {
  try {
    await act();
    return { kind };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    keyboard.print(`${indented(error.detail, columnsOf(context))}\n`);
    // Taken for decided it would never be asked again here, while the agent waits for it.
    if (error.kind !== 'problem' || isPassing(error)) return { kind: 'lost', why: error.detail };
    // Settled, expired or changed meanwhile: what is to be asked now is in the queue.
    return error.status === 422 ? { kind: 'refused' } : { kind: 'gone' };
  }
}
