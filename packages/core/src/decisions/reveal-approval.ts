import type { RevealedCall, Signer } from '@countersign/protocol';
import { parseInput, signerSchema } from '@countersign/protocol';
import { displayCall, textAsJson } from '../masking/index.js';
import type { InvocationRecord } from '../ports/index.js';
import { commit, type Runtime } from '../step/runtime.js';
import { auditOf } from '../step/tool-events.js';
import { find, recordRefusal, refused, refuseMisfit } from '../calls/tool-result.js';

type Refused = ReturnType<typeof refused>;

/**
 * Shows who may decide a waiting call what its masks hide, and records that they looked (A15). The record is written in the same
 * transaction: nobody sees a secret without it.
 */
export async function revealApproval(
  runtime: Runtime,
  worldId: string,
  approvalId: string,
  signer: Signer,
): Promise<{ kind: 'revealed'; call: RevealedCall } | Refused> {
  parseInput(signerSchema, signer, 'signer');
  return await commit(runtime, 'reveal-approval', worldId, async (step) => {
    const found = await find(step, approvalId);
    if (found?.approval === undefined || !found.byApproval) return refused('unknown', 'no approval has this id');
    const { invocation, approval, turn } = found;
    const refuse = (outcome: Refused): Refused => {
      recordRefusal(step, worldId, found, outcome, signer);
      return outcome;
    };
    const misfit = refuseMisfit(found, { worldId, agentId: undefined });
    if (misfit !== undefined) return refuse(misfit);
    if ((await step.tx.client(signer.client))?.approvals === false)
      return refuse(refused('foreign', 'a client without approvals can not reveal what a mask hides'));
    const isOver = approval.expiresAt !== null && approval.expiresAt <= step.tx.now();
    if (approval.status !== 'pending' || turn.state === 'ended' || isOver)
      return refuse(refused('settled', 'this call no longer waits for a decision', approval.status));
    step.tx.record({ kind: 'reveal', ...auditOf(invocation), approvalId, who: signer.who, client: signer.client });
    return { kind: 'revealed', call: toRevealed(invocation) };
  });
}

function toRevealed({ id, toolName, arguments: text }: InvocationRecord): RevealedCall {
  return { toolCallId: id, toolName, arguments: displayCall(textAsJson(text)) };
}
