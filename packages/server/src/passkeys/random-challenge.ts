import type { StoreTransaction } from '@countersign/core/ports';
import { isSecret } from '../auth/secrets.js';
import { insertCredential, isUsable, linkId, makeLink } from '../people/credentials.js';

export const CHALLENGE_MS = 5 * 60_000;

/** What a random challenge is for. Confirmations have challenges of their own, which name the action. */
type Purpose = 'register-passkey' | 'sign-in';

/** Stores the hash of a random challenge, and returns the challenge. It works once, for five minutes, in every process. */
export async function addRandomChallenge(tx: StoreTransaction, purpose: Purpose, personId: string): Promise<string> {
  const made = makeLink();
  const expiresAt = tx.now() + CHALLENGE_MS;
  await insertCredential(tx, made, { personId, kind: 'challenge', name: purpose, expiresAt });
  return made.secret;
}

/** Uses up the challenge that an authenticator signed, and returns it. Undefined if it is unknown, used, expired or for something else. */
export async function takeRandomChallenge(
  tx: StoreTransaction,
  purpose: Purpose,
  clientData: string,
): Promise<{ challenge: string; personId: string } | undefined> {
  const challenge = challengeIn(clientData);
  const found = challenge === undefined ? undefined : await tx.credential(linkId(challenge));
  if (challenge === undefined || found === undefined || !isUsable(found, tx.now())) return undefined;
  const { id, kind, name, hash, personId } = found.credential;
  if (kind !== 'challenge' || name !== purpose || !isSecret(challenge, Buffer.from(hash, 'hex'))) return undefined;
  return (await tx.endCredential(id)) ? { challenge, personId } : undefined;
}

function challengeIn(clientData: string): string | undefined {
  try {
    const value = JSON.parse(Buffer.from(clientData, 'base64url').toString('utf8')) as unknown;
    const given = typeof value === 'object' && value !== null && 'challenge' in value ? value.challenge : undefined;
    return typeof given === 'string' ? given : undefined;
  } catch {
    return undefined;
  }
}
