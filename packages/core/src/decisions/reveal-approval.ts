import { type RevealedCall, type Signer, parseInput, signerSchema } from '@countersign/protocol';
import { displayCall, textAsJson } from '../masking/index.js';
import type { CallRecord } from '../ports/index.js';
import { commit, retryStale } from '../step/commit.js';
import type { Runtime, Step } from '../step/runtime.js';
import { auditOf } from '../facts/calls.js';
import {
  cannotAsk,
  reloadCall,
  findCall,
  needsOf,
  recordRefusal,
  refused,
  refuseForeign,
  type FoundCall,
} from './find-call.js';

type Refused = ReturnType<typeof refused>;

/**
 * Shows the masked secrets of a waiting call to a person who may decide it, and records that they looked (SAFE6). The record is
 * written in the same step, so nobody sees a secret without it.
 */
export async function revealApproval(
  runtime: Runtime,
  worldId: string,
  approvalId: string,
  signer: Signer,
): Promise<{ kind: 'revealed'; call: RevealedCall } | Refused> {
  parseInput(signerSchema, signer, 'signer');
  return await retryStale(async () => {
    const before = await findCall(runtime, worldId, approvalId);
    if (before?.approval === undefined || !before.byApproval)
      return refused('unknown', 'there is no approval with this id');
    return await commit(runtime, 'reveal-approval', worldId, needsOf(before, signer), (step) =>
      reveal(step, worldId, reloadCall(step, before), signer),
    );
  });
}

function reveal(
  step: Step,
  worldId: string,
  found: FoundCall,
  signer: Signer,
): { kind: 'revealed'; call: RevealedCall } | Refused {
  const { invocation, approval, turn } = found;
  if (approval === undefined) return refused('unknown', 'there is no approval with this id');
  const refuse = (outcome: Refused): Refused => {
    recordRefusal(step, worldId, found, outcome, signer);
    return outcome;
  };
  const foreign = refuseForeign(found, { worldId, agentId: undefined });
  if (foreign !== undefined) return refuse(foreign);
  if (cannotAsk(step, signer))
    return refuse(refused('foreign', "this client registered with approvals: false, so it can't reveal secrets"));
  const isExpired = approval.expiresAt !== null && approval.expiresAt <= step.tx.now();
  if (approval.status !== 'pending' || turn.state === 'ended' || isExpired)
    return refuse(refused('settled', 'this call is no longer pending', approval.status));
  const about = { ...auditOf(invocation), approvalId: approval.id };
  step.tx.write({ kind: 'secrets-revealed', about, by: signer });
  return { kind: 'revealed', call: toRevealed(invocation) };
}

function toRevealed({ id, toolName, arguments: text }: CallRecord): RevealedCall {
  return { toolCallId: id, toolName, arguments: displayCall(textAsJson(text)) };
}
