import { afterSigning, ClientError, needsPasskey, type Answer, type ApprovalView } from '@countersign/client';
import type { ToolResultReply } from '@countersign/protocol';
import { signingLink } from '../../approvals/signing-link.js';
import { cardWords } from '../../words/cards.js';
import { holdCovered, matchOf } from '../card/confirm-covered.js';
import type { UiState } from '../ui-state.js';
import { complain, say, type EffectHost } from './effect-host.js';

export async function decide(host: EffectHost, approval: ApprovalView, answered: Answer): Promise<void> {
  const { client, worldId } = host;
  const { approvalId, chatId } = approval;
  const shownMs = Math.max(0, Math.round(host.now() - host.ui().card.shownAt));
  try {
    if (answered.decision === 'approve' && needsPasskey(approval.needs)) {
      const link = await signingLink(client, worldId, chatId);
      // The card stays, and shows the decision when it was made in the browser.
      change(host, { sending: without(host, approvalId) });
      say(host, cardWords.signLink(link));
      return;
    }
    const wanted = matchOf(approval, answered);
    if (wanted !== undefined) {
      const { waiting } = await client.policyMatches(worldId, wanted);
      const card = holdCovered(host.ui().card, approval, answered, waiting, host.now());
      if (card !== undefined) {
        host.show({ ...host.ui(), card });
        return;
      }
    }
  } catch (error) {
    change(host, { sending: without(host, approvalId) });
    complain(host, error);
    return;
  }
  const edit = answered.arguments === undefined ? undefined : approval;
  await settleReply(host, approvalId, client.decide(worldId, approval, { ...answered, chatId, shownMs }), edit);
}

/** Answers a question with text. */
export async function answer(host: EffectHost, { approvalId }: ApprovalView, words: string): Promise<void> {
  const sent = host.client.answer(host.worldId, { toolCallId: approvalId, content: words });
  await settleReply(host, approvalId, sent);
}

async function settleReply(
  host: EffectHost,
  approvalId: string,
  sent: Promise<ToolResultReply>,
  edit?: ApprovalView,
): Promise<void> {
  let reply: ToolResultReply;
  try {
    reply = await sent;
  } catch (error) {
    change(host, { sending: without(host, approvalId) });
    failReply(host, error, edit);
    return;
  }
  if (reply.state === 'asked') {
    // The call needs more signatures, so its card stays.
    change(host, { sending: without(host, approvalId) });
    say(host, afterSigning(reply.kind !== 'recorded'));
    return;
  }
  host.replied(approvalId, reply);
  if (reply.kind === 'recorded')
    change(host, { sending: without(host, approvalId), taken: new Set([...host.ui().card.taken, approvalId]) });
  host.refresh();
}

function failReply(host: EffectHost, error: unknown, edit: ApprovalView | undefined): void {
  const isConflict = error instanceof ClientError && error.status === 409;
  if (edit !== undefined && isConflict && error.state === 'asked') {
    change(host, { edits: [...(host.ui().card.edits ?? []), edit] });
    say(host, error.detail);
    return;
  }
  // The call was decided elsewhere: the card names the person when the event arrives.
  if (isConflict) host.refresh();
  else complain(host, error);
}

function change(host: EffectHost, card: Partial<UiState['card']>): void {
  const ui = host.ui();
  host.set({ ...ui, card: { ...ui.card, ...card } });
}

function without(host: EffectHost, approvalId: string): ReadonlySet<string> {
  return new Set([...host.ui().card.sending].filter((id) => id !== approvalId));
}
