import { type ApprovalView } from '@countersign/client';
import type { QueuedApproval, World } from '@countersign/protocol';
export interface InboxItem {
    worldId: string;
    worldName: string;
    agentName: string;
    approval: ApprovalView;
}
/** What waits for a person in any chat of any world, oldest first. */
export declare function useInbox(worlds: readonly World[]): readonly InboxItem[];
export declare function toView({ toolCallId, ...approval }: QueuedApproval): ApprovalView;
