import { randomInt } from 'node:crypto';
import type { CredentialRecord, Store, StoreTransaction } from '@countersign/core/ports';
import { CountersignError, type DeviceLinkState, type Pairing } from '@countersign/protocol';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { hashSecret, isSecret, randomSecret } from '../auth/secrets.js';
import type { By } from './by.js';
import { changePeople } from './change-people.js';
import { isUsable } from './credentials.js';
import { currentSession } from './recent-sign-in.js';

/** How long the first device may take to compare the codes. */
const CONFIRM_MS = 2 * 60_000;

interface Asking {
  device: string;
  from: string;
  /** What this device got when it opened the link. */
  secret: string | undefined;
}

/**
 * The first device that opens a link gets a secret and a code, and waits until the session that made the link has confirmed the code. For everyone else the
 * link is used up. Undefined: it doesn't work.
 */
export async function askToPair(
  store: Store,
  { id }: Pick<CredentialRecord, 'id'>,
  { device, from, secret }: Asking,
): Promise<Pairing | 'confirmed' | undefined> {
  return await changePeople<Pairing | 'confirmed' | undefined>(store, undefined, async (tx) => {
    const found = await tx.credential(id);
    if (found === undefined || !isUsable(found, tx.now())) return { value: undefined };
    const { data, parentId } = found.credential;
    const source = await tx.credential(parentId ?? '');
    if (source === undefined || !isUsable(source, tx.now())) return { value: undefined };
    const { pairing } = data;
    if (pairing !== undefined) {
      if (secret === undefined || !isSecret(secret, Buffer.from(pairing.hash, 'hex'))) return { value: undefined };
      return { value: pairing.confirmed === true ? 'confirmed' : { pairing: secret, code: pairing.code } };
    }
    if (secret !== undefined) return { value: undefined };
    const made = randomSecret();
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    const hash = hashSecret(made).toString('hex');
    await tx.updateCredential(id, { ...data, pairing: { hash, code, device, from } });
    await tx.useCredential(id, { usedAt: tx.now(), expiresAt: tx.now() + CONFIRM_MS });
    return { value: { pairing: made, code } };
  });
}

/** Whether a device has opened a link of this session. */
export async function readLink(store: Store, by: By, id: string): Promise<DeviceLinkState> {
  return await store.read(async (reader) => {
    const { pairing } = (await linkOf(reader, by, id)).data;
    if (pairing === undefined) return {};
    const { device, from, code } = pairing;
    return { asked: { device, from, code } };
  });
}

/** Lets the device in that shows this code. */
export async function confirmDevice(store: Store, by: By, id: string, code: string): Promise<void> {
  await changePeople(store, by.signer, async (tx) => {
    const { data, personId } = await linkOf(tx, by, id);
    const { pairing } = data;
    if (pairing?.code !== code) throw new HttpProblem(409, problemTexts.otherCode);
    await tx.updateCredential(id, { ...data, pairing: { ...pairing, confirmed: true } });
    const why = `${personId}: ${pairing.device} from ${pairing.from}`;
    return { value: undefined, record: { decision: 'device confirmed', why } };
  });
}

/** Ends a link, and refuses the device that opened it. */
export async function endLink(store: Store, by: By, id: string): Promise<void> {
  await changePeople(store, by.signer, async (tx) => {
    const { personId, data } = await linkOf(tx, by, id);
    await tx.endCredential(id);
    const device = data.pairing === undefined ? '' : `, opened by ${data.pairing.device} from ${data.pairing.from}`;
    return { value: undefined, record: { decision: 'device link ended', why: `${personId}${device}` } };
  });
}

async function linkOf(tx: Pick<StoreTransaction, 'credential' | 'now'>, by: By, id: string): Promise<CredentialRecord> {
  const found = await tx.credential(id);
  const isOpen = found !== undefined && found.credential.data.linked === true && isUsable(found, tx.now());
  if (!isOpen || found.credential.kind !== 'ticket' || found.credential.parentId !== by.access.holder)
    throw new CountersignError('not-found', problemTexts.noLink);
  await currentSession(tx, by);
  return found.credential;
}
