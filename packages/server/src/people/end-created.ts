import type { CredentialRecord, PersonRecord, StoreTransaction } from '@countersign/core/ports';
import { effectiveActions } from '@countersign/protocol';
import type { By } from './by.js';

/** Who created a token or an invitation for someone else. */
export function creatorOf({ access, signer }: By): Pick<CredentialRecord['data'], 'createdBy' | 'creator'> {
  return {
    createdBy: signer.who.name,
    ...(access.person === undefined ? {} : { creator: access.person.id }),
  };
}

/**
 * Ends the tokens and invitations that a person created for others, once that person is no admin of the server anymore. They may know the secrets, so
 * they would keep what was taken from them.
 */
export async function endCreated(
  tx: Pick<StoreTransaction, 'people' | 'credentials' | 'endCredential'>,
  after: PersonRecord,
): Promise<void> {
  if (after.status === 'active' && effectiveActions(after, undefined, undefined).has('admin')) return;
  for (const { id } of await tx.people())
    for (const kind of ['token', 'invitation'] as const)
      for (const credential of await tx.credentials(id, kind))
        if (credential.data.creator === after.id) await tx.endCredential(credential.id);
}
