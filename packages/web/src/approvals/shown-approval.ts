import type { ApprovalView } from '@countersign/client';

/** An approval with the data needed to show and decide it. */
export interface ShownApproval {
  worldId: string;
  agentName: string;
  approval: ApprovalView;
}
