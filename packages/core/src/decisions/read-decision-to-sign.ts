import { randomBytes } from 'node:crypto';
import { CountersignError, type SignedDecision } from '@countersign/protocol';
import { decisionToSign } from '../requirements/decision-to-sign.js';
import { auditOf } from '../facts/calls.js';
import type { Runtime } from '../step/runtime.js';

/** What a passkey signs to approve a pending call, as it is shown now (SIGN2). */
export async function readDecisionToSign(
  runtime: Runtime,
  worldId: string,
  approvalId: string,
): Promise<Omit<SignedDecision, 'nonce'>> {
  const found = await runtime.store.read(async (reader) => {
    const approval = await reader.approval(approvalId);
    const invocation = approval === undefined ? undefined : await reader.invocation(approval.invocationId);
    return approval === undefined || invocation === undefined ? undefined : { approval, invocation };
  });
  if (found === undefined || found.approval.worldId !== worldId)
    throw new CountersignError('not-found', `There is no approval "${approvalId}" in this world.`);
  const { approval, invocation } = found;
  if (approval.status !== 'pending')
    throw new CountersignError('conflict', `This was already ${approval.status}. Review the call again.`);
  if (approval.signing?.rules.some(({ by }) => by.passkey === true) !== true)
    throw new CountersignError('conflict', 'This call needs no passkey.');
  const shown = { ...auditOf(invocation), callHash: approval.callHash };
  return decisionToSign(approval, shown, randomBytes(32).toString('hex'));
}
