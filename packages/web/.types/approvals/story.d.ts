import type { ApprovalView, Decision, Invocation } from '@countersign/client';
import type { IconName } from '../ui/icon.js';
import type { Tone } from '../ui/badge.js';
/** `Approved once by you, 3 s ago`, `Denied by … in the terminal: not this one`. */
export declare function decisionStory(decision: Decision, now: number, me?: string): string;
export interface CallState {
    words: string;
    tone: Tone;
    icon: IconName;
}
/** Where a call stands, in words a person reads at a glance. */
export declare function callState({ status }: Pick<Invocation, 'status'>, decision: Decision | undefined): CallState;
/** The question about a call that counts: the last one. */
export declare function lastApproval(invocation: Pick<Invocation, 'approvalIds'>, find: (id: string) => ApprovalView | undefined): ApprovalView | undefined;
