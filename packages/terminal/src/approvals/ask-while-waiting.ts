import {
  agentName,
  get,
  isForYou,
  readerId,
  type ApprovalView,
  type ChatState,
  type WorldState,
} from '@countersign/client';
import { askApproval } from './ask-approval.js';
import type { ApprovalPrompt, Asked, CardPlace } from './approval-prompt.js';
import { describeDecision } from './describe-decision.js';

interface Queue {
  getState(): ChatState | WorldState;
  subscribe(listener: () => void): () => void;
}

/** The call to ask about: an edited one first, because someone has just changed it and wants to see what it does now. */
export function firstOf(waiting: readonly ApprovalView[]): ApprovalView | undefined {
  return waiting.find(({ edited }) => edited === true) ?? waiting[0];
}

const LONGEST_WAIT_MS = 1000;

/** The event may follow the reply, and another call would be shown in between. */
async function untilReplaced(store: Queue, { approvalId, invocationId }: ApprovalView): Promise<void> {
  const isThere = (): boolean => {
    const { approvals, queue } = store.getState();
    return queue.some((id) => id !== approvalId && get(approvals, id)?.invocationId === invocationId);
  };
  if (isThere()) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      leave();
      resolve();
    };
    const timer = setTimeout(end, LONGEST_WAIT_MS);
    const leave = store.subscribe(() => {
      if (isThere()) end();
    });
  });
}

/** Asks about a call until it is decided here, or no longer waits for this person. Prints who decided it elsewhere. */
export async function askWhileWaiting(
  prompt: ApprovalPrompt,
  store: Queue,
  approval: ApprovalView,
  place: CardPlace,
): Promise<Asked> {
  const { approvalId } = approval;
  const elsewhere = new AbortController();
  const leave = store.subscribe(() => {
    const { approvals, queue, me } = store.getState();
    const now = get(approvals, approvalId);
    // Signed from another device, or no longer this person's to sign.
    if (!queue.includes(approvalId) || (now !== undefined && !isForYou(now, me))) elsewhere.abort();
  });
  try {
    const { me } = store.getState();
    const look = { agentName: agentName(store.getState(), approval.agentId), ...place, me };
    const asked = await askApproval(prompt, approval, look, elsewhere.signal);
    if (asked.kind === 'replaced') await untilReplaced(store, approval);
    const decision = get(store.getState().approvals, approvalId)?.decision;
    if (asked.kind === 'gone' && decision !== undefined)
      prompt.keyboard.print(`  ${describeDecision(decision, Date.now(), await readerId(prompt.client))}\n`);
    return asked;
  } finally {
    leave();
  }
}
