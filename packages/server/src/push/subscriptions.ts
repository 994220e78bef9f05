import { createECDH, createHash } from 'node:crypto';
import type {
  CredentialRecord,
  FoundCredential,
  PersonRecord,
  PushData,
  Store,
  StoreReader,
} from '@countersign/core/ports';
import { isConfirmed, isSignedOut } from '@countersign/core';
import {
  CountersignError,
  type NewPush,
  type PushDevice,
  type QuietHours,
  type TokenScope,
} from '@countersign/protocol';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { actionsOf, refuseLimited } from '../people/access.js';
import type { By } from '../people/by.js';
import { changePeople } from '../people/change-people.js';
import { hasLapsed, insertCredential, isUsable, makeSecret, type SessionLifetimes } from '../people/credentials.js';
import { currentSession } from '../people/recent-sign-in.js';
import { checkZone } from '../schedules/next-due.js';
import type { PushTools } from './push-tools.js';
import { readEndpoint } from './push-services.js';

const MOST = 20;

/** A device that gets notifications, with the rights of the session or token that created its subscription. */
export interface Subscription {
  readonly id: string;
  readonly device: string;
  readonly person: PersonRecord;
  readonly push: PushData;
  /** What it may do in a world, now. Nothing while its person must sign in again. */
  mayIn(worldId: string): ReadonlySet<TokenScope>;
}

/** The devices of the person who asks. */
export async function listDevices(store: Store, { access }: By): Promise<PushDevice[]> {
  const { person, holder } = access;
  if (person === undefined) return [];
  const found = await store.read((reader) => reader.credentials(person.id, 'push'));
  return found.map((record) => toDevice(record, holder));
}

function toDevice({ id, name, data, parentId, createdAt, usedAt }: CredentialRecord, holder: string): PushDevice {
  return {
    id,
    device: name,
    service: data.push?.service ?? '',
    current: parentId === holder,
    createdAt: new Date(createdAt).toISOString(),
    ...(usedAt === null ? {} : { usedAt: new Date(usedAt).toISOString() }),
    ...(data.push?.quietHours && { quietHours: data.push.quietHours }),
  };
}

/**
 * Subscribes a device. It replaces an older subscription with this endpoint, also of someone else: that is the same browser, which would show the calls of
 * both.
 */
export async function addDevice(tools: PushTools, by: By, given: NewPush, device: string): Promise<PushDevice> {
  const { person, holder, external } = by.access;
  if (person === undefined || external !== undefined) throw new HttpProblem(403, problemTexts.pushNeedsPerson);
  const { hostname } = readEndpoint(given.endpoint, tools.route.named);
  checkKeys(given);
  return await changePeople(tools.runtime.store, by.signer, async (tx) => {
    // The session may have ended since the request was authenticated.
    await currentSession(tx, by);
    const made = makeSecret();
    const hash = createHash('sha256').update(given.endpoint).digest('hex');
    const all = (await tx.subscriptions()).map(({ credential }) => credential);
    const older = all.filter((record) => record.hash === hash);
    for (const { id } of older) await tx.endCredential(id);
    const own = all.filter((record) => record.personId === person.id && record.hash !== hash);
    if (own.length >= MOST) throw new HttpProblem(409, problemTexts.tooManyDevices(MOST));
    const sealed = tools.box.seal(JSON.stringify(given), purposeOf(made.id));
    const push: PushData = { sealed, service: hostname, told: {} };
    const record = await insertCredential(tx, made, {
      personId: person.id,
      kind: 'push',
      name: device,
      hash,
      data: { push },
      parentId: holder,
    });
    const why = `${person.id}: ${device} (${record.id}), through ${hostname}`;
    return { value: toDevice(record, holder), record: { decision: 'notifications turned on', why } };
  });
}

function checkKeys({ keys }: NewPush): void {
  try {
    const pair = createECDH('prime256v1');
    pair.generateKeys();
    pair.computeSecret(Buffer.from(keys.p256dh, 'base64url'));
  } catch (cause) {
    throw new CountersignError('invalid', 'keys: p256dh: is no public key', { field: 'keys', cause });
  }
}

/** Ends a subscription of the person who asks. */
export async function removeDevice(store: Store, by: By, id: string): Promise<void> {
  await changePeople(store, by.signer, async (tx) => {
    const { personId, name } = await ownDevice(tx, by, id);
    await tx.endCredential(id);
    return { value: undefined, record: { decision: 'notifications turned off', why: `${personId}: ${name} (${id})` } };
  });
}

/** Sets when a device of the person who asks is told of nothing new. */
export async function setQuietHours(store: Store, by: By, id: string, given: QuietHours | null): Promise<PushDevice> {
  if (given !== null) {
    checkZone(given.timeZone);
    if (given.from === given.until)
      throw new CountersignError('invalid', `until: ${problemTexts.emptyQuietHours}`, { field: 'until' });
  }
  return await changePeople(store, by.signer, async (tx) => {
    const record = await ownDevice(tx, by, id);
    const { push } = record.data;
    if (push === undefined) throw noDevice(id);
    const { quietHours: _, ...rest } = push;
    const data = { ...record.data, push: { ...rest, ...(given && { quietHours: given }) } };
    await tx.updateCredential(id, data);
    const when = given === null ? 'none' : `${given.from} to ${given.until}, ${given.timeZone}`;
    const why = `${record.personId}: ${record.name} (${id}), ${when}`;
    return { value: toDevice({ ...record, data }, by.access.holder), record: { decision: 'quiet hours changed', why } };
  });
}

async function ownDevice(tx: Pick<StoreReader, 'credentials'>, by: By, id: string): Promise<CredentialRecord> {
  const { person, holder } = by.access;
  const own = person === undefined ? [] : await tx.credentials(person.id, 'push');
  const found = own.find((record) => record.id === id);
  if (found === undefined) throw noDevice(id);
  if (found.parentId !== holder) refuseLimited(by.access);
  return found;
}

export function noDevice(id: string): CountersignError {
  return new CountersignError('not-found', `There is no device "${id}" that gets your notifications.`);
}

/** All subscriptions that work now, and the ids of those whose session, token or person has ended. */
export async function readSubscriptions(
  reader: Pick<StoreReader, 'subscriptions' | 'credentialsById' | 'now'>,
  lifetimes: SessionLifetimes,
): Promise<{ working: Subscription[]; ended: string[] }> {
  const found = await reader.subscriptions();
  if (found.length === 0) return { working: [], ended: [] };
  const parents = await reader.credentialsById(found.map(({ credential }) => credential.parentId ?? ''));
  const working: Subscription[] = [];
  const ended: string[] = [];
  for (const each of found) {
    const parent = parents.find(({ credential }) => credential.id === each.credential.parentId);
    const subscription = toSubscription(each, parent, reader.now(), lifetimes);
    if (subscription === undefined) ended.push(each.credential.id);
    else working.push(subscription);
  }
  return { working, ended };
}

function toSubscription(
  found: FoundCredential,
  parent: FoundCredential | undefined,
  now: number,
  lifetimes: SessionLifetimes,
): Subscription | undefined {
  const { credential, person } = found;
  const { push } = credential.data;
  if (push === undefined || parent === undefined || parent.person.id !== person.id) return undefined;
  if (!isUsable(found, now) || !isUsable(parent, now) || hasLapsed(parent.credential, now, lifetimes)) return undefined;
  const { scopes } = parent.credential.data;
  const isOut = isSignedOut(person) || !isConfirmed(person, now);
  return {
    id: credential.id,
    device: credential.name,
    person,
    push,
    mayIn: (worldId) => (isOut ? NOTHING : actionsOf({ person, ...(scopes && { scopes }) }, worldId)),
  };
}

const NOTHING: ReadonlySet<TokenScope> = new Set();

/** The endpoint and keys of a device. Undefined if they were encrypted with another key, so that it can't be reached anymore. */
export function openDevice(box: PushTools['box'], { id, push }: Subscription): NewPush | undefined {
  const opened = box.unseal(push.sealed, purposeOf(id));
  return opened.ok ? (JSON.parse(opened.value) as NewPush) : undefined;
}

function purposeOf(id: string): string[] {
  return ['push', id];
}
