import { createHash } from 'node:crypto';
import type { Preview, SignedDecision } from '@countersign/protocol';
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

/** The salted hash of a call that a passkey signs (A49). Can be computed again from the audit record and the receipt. */
export function callDigest(salt: string, call: ShownCall): string {
  const { callHash, chatId, agentId, invocationId, tool, arguments: shown } = call;
  const parts = ['countersign.call-digest.1', salt, callHash, chatId, agentId, invocationId, tool, shown];
  return sha256(canonicalJson(parts));
}

/** What a passkey signs to approve a call, without the nonce. */
export function decisionToSign(
  approval: { id: string; preview: Preview | null },
  call: ShownCall,
  salt: string,
): Omit<SignedDecision, 'nonce'> {
  const { id, preview } = approval;
  return {
    call: callDigest(salt, call),
    salt,
    ...(preview === null ? {} : { effect: sha256(canonicalJson(preview)) }),
    decision: 'approve',
    scope: 'once',
    approvalId: id,
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
