import { createHash } from 'node:crypto';
import type { SignedDecision } from '@countersign/protocol';

/** The challenge for a decision. One JSON array, so that no text can move from one part to another. */
export function challengeFor(signed: SignedDecision): Buffer<ArrayBuffer> {
  const { call, calls, salt, effect, decision, scope, approvalId, nonce } = signed;
  const parts = [
    'countersign.decision.1',
    call,
    salt,
    effect ?? null,
    decision,
    scope,
    approvalId,
    nonce,
    ...(calls === undefined ? [] : [calls]),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}
