import type { FoundCredential, StoreTransaction } from '@countersign/core/ports';
import type { Assertion } from '@countersign/protocol';
import { problemTexts } from '../app/problem-texts.js';
import { isUsable } from '../people/credentials.js';
import { counterOf, findAssertionProblem } from '../receipts/verify-assertion.js';
import { takeRandomChallenge } from './random-challenge.js';
import { passkeyId } from './register-passkey.js';

type SignedIn = { ok: true; found: FoundCredential } | { ok: false; detail: string; personId?: string };

/** Verifies a passkey's answer to a sign-in challenge, and uses the challenge up, even if the answer is wrong. Untrusted passkeys may sign in. */
export async function signInWith(tx: StoreTransaction, assertion: Assertion, origin: string): Promise<SignedIn> {
  const taken = await takeRandomChallenge(tx, 'sign-in', assertion.clientData);
  if (taken === undefined) return { ok: false, detail: problemTexts.oldChallenge };
  const found = await tx.credential(passkeyId(assertion.credentialId));
  const passkey = found?.credential.data.passkey;
  if (found === undefined || passkey === undefined || !isUsable(found, tx.now()))
    return { ok: false, detail: problemTexts.unknownPasskey };
  const personId = found.person.id;
  const challenge = Buffer.from(taken.challenge, 'base64url');
  const problem = findAssertionProblem(assertion, challenge, { ...passkey, origins: [origin] });
  if (problem !== undefined) return { ok: false, detail: problemTexts.badSignature(problem), personId };
  const { id, data } = found.credential;
  const counter = counterOf(assertion);
  if (isCopied(counter, passkey.counter)) return { ok: false, detail: problemTexts.copiedPasskey, personId };
  await tx.updateCredential(id, { ...data, passkey: { ...passkey, counter } });
  await tx.useCredential(id, { usedAt: tx.now(), expiresAt: null });
  return { ok: true, found };
}

/** A counter that goes back means that the passkey was copied. Zero means that the authenticator doesn't count. */
function isCopied(counter: number, before: number): boolean {
  return (counter > 0 || before > 0) && counter <= before;
}
