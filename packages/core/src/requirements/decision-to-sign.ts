import { createHash } from 'node:crypto';
import type { SignedDecision } from '@countersign/protocol';
import type { ApprovalRecord } from '../ports/index.js';
import { canonicalJson } from '../policy/index.js';

/** A call as its audit records describe it, with its keyed hash. The arguments are masked, as people see them. */
export interface ShownCall {
  callHash: string;
  chatId: string;
  agentId: string;
  invocationId: string;
  tool: string;
  arguments: unknown;
}

/** The salted hash of a call that a passkey signs (SIGN2). Can be computed again from the audit record and the receipt. */
export function callDigest(salt: string, call: ShownCall): string {
  const { callHash, chatId, agentId, invocationId, tool, arguments: shown } = call;
  const parts = ['countersign.call-digest.1', salt, callHash, chatId, agentId, invocationId, tool, shown];
  return sha256(canonicalJson(parts));
}

/** What a passkey signs to approve a call, without the nonce. */
export function decisionToSign(
  approval: Pick<ApprovalRecord, 'id' | 'preview' | 'rehearsal'>,
  call: ShownCall,
  salt: string,
): Omit<SignedDecision, 'nonce'> {
  return {
    call: callDigest(salt, call),
    salt,
    ...effectOf(approval),
    decision: 'approve',
    scope: 'once',
    approvalId: approval.id,
  };
}

/** What a passkey signs to approve several calls together: the hash of the batch, and each call. */
export function batchToSign(
  { id, hash, effectHash }: { id: string; hash: string; effectHash: string },
  calls: readonly ShownCall[],
  salt: string,
): Omit<SignedDecision, 'nonce'> {
  return {
    call: sha256(canonicalJson(['countersign.batch-digest.1', salt, hash])),
    calls: calls.map((call) => callDigest(salt, call)),
    salt,
    effect: effectHash,
    decision: 'approve',
    scope: 'once',
    approvalId: id,
  };
}

/** The rehearsed effect is complete, so its hash takes precedence over that of a preview. */
function effectOf({ preview, rehearsal }: Pick<ApprovalRecord, 'preview' | 'rehearsal'>): { effect?: string } {
  if (rehearsal !== null && 'effect' in rehearsal) return { effect: rehearsal.effect.effectHash };
  return preview === null ? {} : { effect: sha256(canonicalJson(preview)) };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
