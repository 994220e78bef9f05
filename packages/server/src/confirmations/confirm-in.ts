import type { ChallengeData, CredentialRecord, PasskeyData, StoreTransaction } from '@countersign/core/ports';
import type { Confirmable, PasskeyConfirmation } from '@countersign/protocol';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import type { By } from '../people/by.js';
import { isUsable } from '../people/credentials.js';
import { counterOf, findAssertionProblem } from '../receipts/verify-assertion.js';
import { challengeOf, hashAction } from './challenge-of.js';

/** A confirmation that was verified, and whose challenge is used up. */
export interface Confirmed {
  /** The row of the passkey. */
  credential: CredentialRecord;
  passkey: PasskeyData;
  challenge: ChallengeData;
}

/** A request to confirm: what it would do, and the page that it comes from. */
export interface ConfirmRequest {
  action: Confirmable;
  confirmation: PasskeyConfirmation | undefined;
  /** The origin of the page that sent the request. Another port of this host is another origin. */
  origin: string;
}

/**
 * Verifies that the person who sends the request confirmed exactly this action with a trusted passkey, and uses the challenge up. Throws
 * otherwise. Runs in the transaction that does the action, or in one before it.
 */
export async function confirmIn(
  tx: StoreTransaction,
  { access: { person } }: By,
  { action, confirmation, origin }: ConfirmRequest,
): Promise<Confirmed> {
  if (person === undefined) throw new HttpProblem(403, problemTexts.nobodysPasskeys);
  if (confirmation === undefined) throw new HttpProblem(403, problemTexts.needsPasskey);
  const { challenge: id, ...assertion } = confirmation;
  const found = await tx.credential(id);
  const challenge = found?.credential.data.challenge;
  if (found?.credential.kind !== 'challenge' || challenge === undefined || found.person.id !== person.id)
    throw refusal(problemTexts.unknownChallenge);
  if (!isUsable(found, tx.now())) throw refusal(problemTexts.unknownChallenge);
  if (hashAction(action, challenge.nonce) !== challenge.action) throw refusal(problemTexts.otherChallenge);
  const credential = (await tx.credentials(person.id, 'passkey')).find(
    ({ data }) => data.passkey?.credentialId === assertion.credentialId,
  );
  const passkey = credential?.data.passkey;
  if (credential === undefined || passkey === undefined || !passkey.trusted)
    throw refusal(problemTexts.untrustedPasskey);
  const problem = findAssertionProblem(assertion, challengeOf(challenge), { ...passkey, origins: [origin] });
  if (problem !== undefined) throw refusal(problemTexts.badSignature(problem));
  const counter = counterOf(assertion);
  // A counter that goes back means that the passkey was copied. Zero means that the authenticator doesn't count.
  if ((counter > 0 || passkey.counter > 0) && counter <= passkey.counter) throw refusal(problemTexts.copiedPasskey);
  if (!(await tx.endCredential(id))) throw refusal(problemTexts.unknownChallenge);
  if (counter > 0) await tx.updateCredential(credential.id, { ...credential.data, passkey: { ...passkey, counter } });
  return { credential, passkey, challenge };
}

function refusal(detail: string): HttpProblem {
  return new HttpProblem(403, detail, { field: 'confirmation' });
}
