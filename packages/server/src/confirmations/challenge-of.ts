import { createHash } from 'node:crypto';
import type { ChallengeData } from '@countersign/core/ports';
import type { Confirmable } from '@countersign/protocol';
import { challengeFor } from '../receipts/challenge-for.js';

/** The bytes that a passkey signs to confirm an action. */
export function challengeOf({ action, nonce, signed }: ChallengeData): Buffer<ArrayBuffer> {
  if (signed !== undefined) return challengeFor(signed);
  return createHash('sha256')
    .update(JSON.stringify(['countersign.confirmation.1', ...partsOf(action), nonce]))
    .digest();
}

/** Whether a challenge was created for exactly this action. */
export function isSameAction(one: Confirmable, other: Confirmable): boolean {
  return JSON.stringify(partsOf(one)) === JSON.stringify(partsOf(other));
}

function partsOf(action: Confirmable): readonly unknown[] {
  switch (action.kind) {
    case 'sign-call':
      return [action.kind, action.world, action.approval, action.decision];
    case 'trust-passkey':
    case 'remove-passkey':
      return [action.kind, action.passkey];
    case 'change-policy':
      return [action.kind, action.world, action.agent ?? null, action.rules];
  }
}
