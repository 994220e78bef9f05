import { createHash } from 'node:crypto';
import type { CredentialRecord, PersonRecord, Store } from '@countersign/core/ports';
import type { NewPasskey, PasskeyOptions, RegisteredPasskey } from '@countersign/protocol';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { hashSecret, randomSecret } from '../auth/secrets.js';
import { limitedProblem } from '../people/access.js';
import type { By } from '../people/by.js';
import { changePeople } from '../people/change-people.js';
import { insertCredential } from '../people/credentials.js';
import type { PasskeySite } from './passkey-site.js';
import { addRandomChallenge, CHALLENGE_MS, takeRandomChallenge } from './random-challenge.js';
import { ALGORITHMS, verifyRegistration } from './verify-registration.js';

const MOST_PASSKEYS = 50;

/** What the browser needs to create a passkey for the person who asks. */
export async function offerRegistration(store: Store, by: By, { rpId }: PasskeySite): Promise<PasskeyOptions> {
  const person = holderOf(by);
  const { value } = await store.transact('', async (tx) => ({
    challenge: await addRandomChallenge(tx, 'register-passkey', person.id),
    known: await tx.credentials(person.id, 'passkey'),
  }));
  return {
    challenge: value.challenge,
    rp: { id: rpId, name: 'Countersign' },
    user: { id: userHandle(person), name: person.name, displayName: person.name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_MS,
    attestation: 'none',
    excludeCredentials: value.known.flatMap(({ data: { passkey } }) =>
      passkey === undefined ? [] : [{ id: passkey.credentialId, type: 'public-key' as const }],
    ),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  };
}

/**
 * Registers a passkey for the person who asks. The first one of an owner or admin is trusted. Others are not, until someone confirms them with a
 * trusted passkey: an agent that reads the owner's token can register one too.
 */
export async function registerPasskey(
  store: Store,
  by: By,
  { given, device, site }: { given: NewPasskey; device: string; site: PasskeySite },
): Promise<RegisteredPasskey> {
  const person = holderOf(by);
  const { value: taken } = await store.transact('', (tx) =>
    takeRandomChallenge(tx, 'register-passkey', given.clientData),
  );
  if (taken?.personId !== person.id) throw new HttpProblem(409, problemTexts.oldChallenge);
  const verified = await verifyRegistration(given, taken.challenge, site);
  const record = await changePeople(store, by.signer, async (tx) => {
    const current = await tx.person(person.id);
    if (current?.status !== 'active') throw new HttpProblem(409, problemTexts.disabledPerson(person.name));
    const all = await tx.passkeys();
    if (all.filter((each) => each.person.id === person.id).length >= MOST_PASSKEYS)
      throw new HttpProblem(409, problemTexts.tooManyPasskeys(MOST_PASSKEYS));
    const id = passkeyId(verified.credentialId);
    if ((await tx.credential(id)) !== undefined) throw new HttpProblem(409, problemTexts.knownPasskey);
    const isFirst = all.every(({ credential }) => credential.data.passkey?.trusted !== true);
    const trusted = isFirst && (current.role === 'owner' || current.role === 'admin');
    const added = await insertCredential(
      tx,
      // It has no secret: nobody knows what this hash belongs to.
      { id, secret: randomSecret() },
      {
        personId: person.id,
        kind: 'passkey',
        name: given.name ?? device,
        data: { passkey: { ...verified, trusted } },
      },
    );
    const why = `${person.id}: "${added.name}" (${id}), ${trusted ? 'trusted as the first passkey of the server' : 'not trusted yet'}`;
    return { value: added, record: { decision: 'passkey registered', why } };
  });
  return toPasskey(record);
}

/**
 * The person who manages their own passkeys. A token with scopes can't: a session opened with the passkey would have all rights of the person
 * (WHO5.1).
 */
function holderOf({ access }: By): PersonRecord {
  if (access.scopes !== undefined) throw limitedProblem(access);
  if (access.person === undefined) throw new HttpProblem(403, problemTexts.nobodysPasskeys);
  return access.person;
}

/** The id of a passkey's row. Follows from the authenticator's id, so that no passkey is registered twice. */
export function passkeyId(credentialId: string): string {
  return hashSecret(credentialId).toString('hex').slice(0, 16);
}

/** Authenticators keep one passkey per site and user. Doesn't contain the person's name. */
function userHandle({ id }: PersonRecord): string {
  return createHash('sha256').update(`person ${id}`).digest('base64url');
}

export function toPasskey({ id, name, data: { passkey }, createdAt, usedAt }: CredentialRecord): RegisteredPasskey {
  if (passkey === undefined) throw new Error(`The credential "${id}" is not a passkey.`);
  const { trusted, rpId, credentialId, publicKey } = passkey;
  return {
    id,
    name,
    trusted,
    host: rpId,
    credentialId,
    publicKey,
    createdAt: new Date(createdAt).toISOString(),
    ...(usedAt === null ? {} : { usedAt: new Date(usedAt).toISOString() }),
  };
}
