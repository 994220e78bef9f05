import { createHash } from 'node:crypto';
import { canonicalJson } from '@countersign/core';
import type { ChallengeData } from '@countersign/core/ports';
import type { Confirmable } from '@countersign/protocol';
import { challengeFor } from '../receipts/challenge-for.js';

/** The bytes that a passkey signs to confirm an action. */
export function challengeOf({ action, signed }: ChallengeData): Buffer<ArrayBuffer> {
  return signed === undefined ? Buffer.from(action, 'hex') : challengeFor(signed);
}

/** Stored instead of the action, and equal only for the same one. */
export function hashAction(action: Confirmable, nonce: string): string {
  return createHash('sha256')
    .update(JSON.stringify(['countersign.confirmation.1', ...partsOf(action), nonce]))
    .digest('hex');
}

function partsOf(action: Confirmable): readonly unknown[] {
  switch (action.kind) {
    case 'sign-call':
      return [action.kind, action.world, action.approval, action.decision];
    case 'sign-batch':
      return [action.kind, action.world, action.batch, action.batchHash];
    case 'trust-passkey':
    case 'remove-passkey':
      return [action.kind, action.passkey];
    case 'change-world':
      return [action.kind, action.method, action.path, canonicalJson(action.body ?? {})];
  }
}
