import { maskSecrets } from '@countersign/core';
import { SERVER_LOG, type Store, type StoreTransaction } from '@countersign/core/ports';
import type { Signer } from '@countersign/protocol';

/** The audit record of a change. Never contains a secret. */
export interface PeopleChange<T> {
  value: T;
  /** Absent if nothing changed. */
  record?: { decision: PeopleDecision; why: string };
}

type PeopleDecision =
  | 'person added'
  | 'person changed'
  | 'person disabled'
  | 'person enabled'
  | 'person removed'
  | 'token created'
  | 'token extended'
  | 'token revoked'
  | 'invitation created'
  | 'device link created'
  | 'device link ended'
  | 'device confirmed'
  | 'session opened'
  | 'session ended'
  | 'passkey registered'
  | 'passkey trusted'
  | 'passkey removed'
  | 'passkeys reset'
  | 'delegation created'
  | 'delegation ended'
  | 'notifications turned on'
  | 'notifications turned off'
  | 'quiet hours changed'
  | 'webhook added'
  | 'webhook changed'
  | 'webhook removed'
  | 'webhook sent again'
  | 'group changed'
  | 'group removed';

/** Changes people, credentials or groups, and records it in the server's audit log, in one transaction (LOG1). Changes are serialized. */
export async function changePeople<T>(
  store: Pick<Store, 'transact'>,
  signer: Signer | undefined,
  work: (tx: StoreTransaction) => Promise<PeopleChange<T>>,
): Promise<T> {
  const { value } = await store.transact(SERVER_LOG, async (tx) => {
    await tx.lockServerLog();
    const { value, record } = await work(tx);
    if (record !== undefined) {
      const { decision, why } = record;
      tx.record({ kind: 'policy', decision, why: maskSecrets(why), ...signer });
    }
    return value;
  });
  return value;
}
