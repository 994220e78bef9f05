import { randomBytes } from 'node:crypto';
import type { CredentialRecord, PasskeyData, Store } from '@countersign/core/ports';
import type { Challenge, Confirmable, SignedDecision } from '@countersign/protocol';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { randomSecret } from '../auth/secrets.js';
import type { By } from '../people/by.js';
import { insertCredential, makeSecret } from '../people/credentials.js';
import { isOnSite } from '../receipts/verify-assertion.js';
import { challengeOf, hashAction } from './challenge-of.js';

const CHALLENGE_MS = 5 * 60_000;

/** Creates a challenge that one of the person's trusted passkeys can sign, once. Every process that shares the store accepts it. */
export async function createChallenge(
  store: Pick<Store, 'transact'>,
  { access: { person } }: By,
  asked: { action: Confirmable; origin: string; decision?: Omit<SignedDecision, 'nonce'> },
): Promise<Challenge> {
  if (person === undefined) throw new HttpProblem(403, problemTexts.nobodysPasskeys);
  const { action, origin, decision } = asked;
  const nonce = randomBytes(32).toString('base64url');
  const data = {
    action: hashAction(action, nonce),
    nonce,
    ...(decision === undefined ? {} : { signed: { ...decision, nonce } }),
  };
  const { value } = await store.transact('', async (tx) => {
    const trusted = trustedOf(await tx.credentials(person.id, 'passkey'));
    const [first] = trusted;
    if (first === undefined) throw new HttpProblem(409, problemTexts.noTrustedPasskey);
    const here = trusted.filter(({ rpId }) => isOnSite(new URL(origin).hostname, rpId));
    const rpId = here[0]?.rpId;
    if (rpId === undefined) throw new HttpProblem(409, problemTexts.passkeyElsewhere(first.origin));
    const expiresAt = tx.now() + CHALLENGE_MS;
    const made = { id: makeSecret().id, secret: randomSecret() };
    await insertCredential(tx, made, {
      personId: person.id,
      kind: 'challenge',
      name: action.kind,
      data: { challenge: data },
      expiresAt,
    });
    const usable = here.filter((passkey) => passkey.rpId === rpId);
    return {
      challenge: made.id,
      expiresAt: new Date(expiresAt).toISOString(),
      options: {
        challenge: challengeOf(data).toString('base64url'),
        rpId,
        allowCredentials: usable.map(({ credentialId }) => ({ id: credentialId, type: 'public-key' as const })),
        userVerification: 'required' as const,
        timeout: CHALLENGE_MS,
      },
    };
  });
  return value;
}

function trustedOf(passkeys: readonly CredentialRecord[]): PasskeyData[] {
  return passkeys.flatMap(({ data: { passkey } }) => (passkey?.trusted === true ? [passkey] : []));
}
