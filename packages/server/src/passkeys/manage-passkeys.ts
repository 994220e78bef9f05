import type { CredentialRecord, PasskeyData, Store, StoreTransaction } from '@countersign/core/ports';
import { CountersignError, type PasskeyConfirmation, type RegisteredPasskey } from '@countersign/protocol';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { confirmIn } from '../confirmations/confirm-in.js';
import { actionsOf, refuseLimited } from '../people/access.js';
import type { By } from '../people/by.js';
import { changePeople } from '../people/change-people.js';
import { present, refuseOwnerChange } from '../people/manage-people.js';
import { toPasskey } from './register-passkey.js';

/** A person's passkeys, for the person or an admin. */
export async function listPasskeys(store: Store, personId: string, by: By): Promise<RegisteredPasskey[]> {
  const passkeys = await store.read(async (reader) => {
    refuseOthers(by, present(await reader.person(personId), personId).id);
    return await reader.credentials(personId, 'passkey');
  });
  return passkeys.map(toPasskey);
}

/** One of a person's passkeys, and the confirmation of a trusted passkey: the person's own, or an admin's. */
interface PasskeyRequest {
  personId: string;
  id: string;
  confirmation: PasskeyConfirmation | undefined;
  origin: string;
}

/** Lets a passkey sign calls. */
export async function trustPasskey(store: Store, asked: PasskeyRequest, by: By): Promise<RegisteredPasskey> {
  return await changePeople(store, by.signer, async (tx) => {
    const { record, passkey } = await find(tx, asked, by);
    if (passkey.trusted) return { value: toPasskey(record) };
    const confirmed = await confirmIn(tx, by, { ...asked, action: { kind: 'trust-passkey', passkey: asked.id } });
    const data = { ...record.data, passkey: { ...passkey, trusted: true } };
    await tx.updateCredential(record.id, data);
    const why = `${describe(asked, record)}, confirmed with "${confirmed.credential.name}" (${confirmed.credential.id})`;
    return { value: toPasskey({ ...record, data }), record: { decision: 'passkey trusted', why } };
  });
}

/**
 * Removes a passkey. A trusted one needs a confirmation. The last trusted passkey of the server can't be removed: the next one that anybody
 * registers would be trusted.
 */
export async function removePasskey(store: Store, asked: PasskeyRequest, by: By): Promise<void> {
  await changePeople(store, by.signer, async (tx) => {
    const { record, passkey } = await find(tx, asked, by);
    let how = 'not trusted';
    // An admin who removes someone's passkey could then sign in as them with an invitation (WHO5.1).
    if (passkey.trusted || by.access.person?.id !== asked.personId) {
      const trusted = (await tx.passkeys()).filter(({ credential }) => credential.data.passkey?.trusted === true);
      if (passkey.trusted && trusted.length === 1) throw new HttpProblem(409, problemTexts.lastPasskey);
      const { credential } = await confirmIn(tx, by, {
        ...asked,
        action: { kind: 'remove-passkey', passkey: asked.id },
      });
      how = `confirmed with "${credential.name}" (${credential.id})`;
    }
    await tx.endCredential(record.id);
    return { value: undefined, record: { decision: 'passkey removed', why: `${describe(asked, record)}, ${how}` } };
  });
}

async function find(
  tx: StoreTransaction,
  { personId, id }: PasskeyRequest,
  by: By,
): Promise<{ record: CredentialRecord; passkey: PasskeyData }> {
  refuseLimited(by.access);
  const person = present(await tx.person(personId), personId);
  refuseOthers(by, personId);
  refuseOwnerChange(by, by.access.person?.id !== personId && person.role === 'owner');
  const record = (await tx.credentials(personId, 'passkey')).find((passkey) => passkey.id === id);
  const passkey = record?.data.passkey;
  if (record !== undefined && passkey !== undefined) return { record, passkey };
  throw new CountersignError('not-found', `There is no passkey "${id}".`);
}

function describe({ personId, id }: PasskeyRequest, { name }: CredentialRecord): string {
  return `${personId}: "${name}" (${id})`;
}

/** Only the person and admins may see and change a person's passkeys. */
function refuseOthers({ access }: By, personId: string): void {
  if (access.person?.id === personId || actionsOf(access).has('admin')) return;
  throw new HttpProblem(403, problemTexts.notYourPasskeys);
}
