import type { SignedDecision, Signer, StoredReceipt } from '@countersign/protocol';
import { decisionToSign } from './decision-to-sign.js';
import type { SigningPeople } from './needed-signatures.js';
import { auditOf } from '../facts/calls.js';
import { canonicalJson } from '../policy/index.js';
import type { ApprovalRecord, CallRecord } from '../ports/index.js';

/** A receipt whose bytes were verified before the step. The step checks that it is about this approval. */
export interface VerifiedReceipt {
  receipt: Omit<StoredReceipt, 'callHash'>;
  /** The passkey that made it, and its person. */
  passkeyId: string;
  personId: string;
}

/** Explains why a verified receipt is not for this approval as it is now, or not from this signer (SIGN2.3). Undefined if it is. */
export function findReceiptProblem(
  receipt: VerifiedReceipt,
  about: {
    approval: Pick<ApprovalRecord, 'id' | 'callHash' | 'preview' | 'rehearsal'>;
    invocation: CallRecord;
    signer: Signer;
    people: SigningPeople;
  },
): string | undefined {
  const { approval, invocation, ...by } = about;
  const shown = { ...auditOf(invocation), callHash: approval.callHash };
  return findProblem(receipt, (salt) => decisionToSign(approval, shown, salt), by);
}

/** The same for what `expected` returns for a salt. */
export function findProblem(
  { receipt, passkeyId, personId }: VerifiedReceipt,
  expected: (salt: string) => Omit<SignedDecision, 'nonce'>,
  { signer, people }: { signer: Signer; people: SigningPeople },
): string | undefined {
  const { nonce: _, ...signed } = receipt.signed;
  if (canonicalJson(signed) !== canonicalJson(expected(signed.salt)))
    return 'the passkey signed another call or decision. Sign again';
  if (signer.who.kind !== 'person' || signer.who.id !== personId) return "this is another person's passkey";
  const isTrusted = people.passkeys.some(({ id, personId: owner }) => id === passkeyId && owner === personId);
  return isTrusted ? undefined : 'this passkey is no longer trusted. Sign with another one';
}
