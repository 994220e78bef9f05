import { type ApprovalView, type Decision, expiredText, type Invocation, scopeText } from '@countersign/client';
import type { IconName } from '../ui/icon-paths.js';
import type { Tone } from '../ui/tone.js';
import { approvalWords } from '../words/approvals.js';

export interface CallState {
  words: string;
  tone: Tone;
  icon: IconName;
}

/** The state of a call, readable at a glance. */
export function callState(
  { status }: Pick<Invocation, 'status'>,
  decision: Decision | undefined,
  isForYou = true,
): CallState {
  const approved = decision?.outcome === 'approved' ? scopeText(decision) : undefined;
  switch (status.kind) {
    case 'proposed':
      return { words: approvalWords.proposed, tone: 'neutral', icon: 'clock' };
    case 'asked':
      return isForYou
        ? { words: approvalWords.waitingForYou, tone: 'amber', icon: 'hourglass' }
        : { words: approvalWords.waitingForOthers, tone: 'neutral', icon: 'hourglass' };
    case 'approved':
      return { words: approved ?? approvalWords.approved, tone: 'green', icon: 'check' };
    case 'running':
      return { words: approvalWords.running, tone: 'blue', icon: 'play' };
    case 'succeeded':
      if (status.outcome === 'not-reported')
        return { words: approvalWords.notReported, tone: 'neutral', icon: 'check' };
      return { words: approved ?? approvalWords.done, tone: 'green', icon: 'check' };
    case 'failed':
      if (status.outcome === 'stopped') return { words: approvalWords.stopped, tone: 'neutral', icon: 'stop' };
      if (status.outcome === 'not-claimed') return { words: approvalWords.notClaimed, tone: 'neutral', icon: 'ban' };
      if (status.outcome === 'interrupted') return { words: approvalWords.interrupted, tone: 'red', icon: 'alert' };
      return { words: approvalWords.failed, tone: 'red', icon: 'alert' };
    case 'denied':
      return { words: approvalWords.denied(shortReason(status.reason)), tone: 'red', icon: 'ban' };
    case 'expired':
      return { words: expiredText(decision), tone: 'red', icon: 'clock' };
  }
}

const LONGEST_REASON = 48;

function shortReason(reason: string): string {
  return reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}…` : reason;
}

/** A call's last approval, which is the one that matters. */
export function lastApproval(
  invocation: Pick<Invocation, 'approvalIds'>,
  find: (id: string) => ApprovalView | undefined,
): ApprovalView | undefined {
  const id = invocation.approvalIds.at(-1);
  return id === undefined ? undefined : find(id);
}
