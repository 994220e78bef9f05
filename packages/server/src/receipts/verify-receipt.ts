import { receiptSchema } from '@countersign/protocol';
import { challengeFor } from './challenge-for.js';
import { findAssertionProblem, type AssertionProblem, type VerifyingKey } from './verify-assertion.js';

type ReceiptVerdict<K> = { ok: true; passkey: K } | { ok: false; problem: AssertionProblem };

/** Verifies a receipt from its bytes and the registered passkeys alone, so it can be done offline and years later (SIGN2). */
export function verifyReceipt<K extends VerifyingKey>(receipt: unknown, passkeys: readonly K[]): ReceiptVerdict<K> {
  const parsed = receiptSchema.safeParse(receipt);
  if (!parsed.success) return { ok: false, problem: 'malformed' };
  const { version: _, signed, ...assertion } = parsed.data;
  const passkey = passkeys.find(({ credentialId }) => credentialId === assertion.credentialId);
  if (passkey === undefined) return { ok: false, problem: 'unknown-passkey' };
  const problem = findAssertionProblem(assertion, challengeFor(signed), passkey);
  return problem === undefined ? { ok: true, passkey } : { ok: false, problem };
}
