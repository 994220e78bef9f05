import { listApprovals, decideCall, type Engine } from '@countersign/core';
import type { Approval, ToolDecision } from '@countersign/protocol';
import { person } from './test-engine.js';

/** What a person does with the approvals of a world. */
export function deciding({ runtime }: Pick<Engine, 'runtime'>, worldId: string) {
  return {
    pending: async (): Promise<Approval[]> => await listApprovals(runtime, worldId, { status: 'pending' }),
    decide: async (approval: Approval | undefined, decision: Partial<ToolDecision> = {}) =>
      await decideCall(
        runtime,
        worldId,
        undefined,
        { tool_call_id: approval?.approvalId ?? '', decision: 'approve', ...decision },
        person,
      ),
  };
}
