import type { Signer } from '@countersign/protocol';
import { z } from 'zod';
import { defineTool, type Tool, ToolFailure } from '../ports/index.js';
import { readState } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';
import { REVIEW_CALL } from '../turn/ids.js';
import { decideCall } from '../call/decide.js';

const reviewSchema = z.strictObject({
  decision: z.enum(['approve', 'deny']),
  reason: z.string().trim().min(1).max(2_000),
});

/**
 * The tool with which an agent decides the call that it reviews (SIGN3). It names no approval: the turn does, so nothing that the agent reads can
 * make it decide another one. Decides like a person's request does.
 */
export function createReviewTool(runtime: () => Runtime): Tool {
  return defineTool({
    name: REVIEW_CALL,
    description: 'Approves or denies the call that you were asked to review. People see the decision and your reason.',
    parameters: reviewSchema,
    readOnly: true,
    idempotent: true,
    async execute({ decision, reason }, { worldId, chatId, invocationId }) {
      const { approvalId, signer } = await readReview(runtime(), { worldId, chatId, invocationId });
      const decided = { tool_call_id: approvalId, decision, reason };
      const outcome = await decideCall(runtime(), worldId, undefined, decided, signer);
      if (outcome.kind === 'refused') throw new ToolFailure(outcome.detail);
      return { recorded: decision };
    },
  });
}

/** The approval that the turn of this call is about, and the agent. */
async function readReview(
  runtime: Runtime,
  { worldId, chatId, invocationId }: { worldId: string; chatId: string; invocationId: string },
): Promise<{ approvalId: string; signer: Signer }> {
  return await readState(runtime, worldId, { chats: [chatId] }, ({ tx, snapshot }) => {
    const turn = tx.turn(tx.invocation(invocationId)?.turnId ?? '');
    if (turn === undefined || turn.review === null) throw new ToolFailure('there is no call to review in this turn');
    const who = { kind: 'agent', id: turn.agentId, name: snapshot.agentName(turn.agentId) } as const;
    return { approvalId: turn.review, signer: { who, via: REVIEW_CALL } };
  });
}
