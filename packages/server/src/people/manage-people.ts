import { freeId } from '@countersign/core';
import type { CredentialRecord, PersonRecord, Store, StoreReader, StoreTransaction } from '@countersign/core/ports';
import {
  CountersignError,
  effectiveActions,
  slug,
  type newPersonSchema,
  type Person,
  type PersonChange,
} from '@countersign/protocol';
import type { z } from 'zod';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { actionsAnywhere, actionsOf, isOwner, type Access } from './access.js';
import type { By } from './by.js';
import { changePeople } from './change-people.js';
import { endCreated } from './end-created.js';

export const LONGEST_ID = 64;

/** Email addresses are only shown to admins and to the person. */
export function toPerson(
  { id, name, email, role, worldRoles, status, createdAt }: PersonRecord,
  reader: Access,
): Person {
  const isShown = reader.person?.id === id || actionsOf(reader).has('admin');
  // A world that the reader may not read stays hidden (WHO4.2).
  const shown = Object.entries(worldRoles).filter(
    ([world]) => reader.person?.id === id || actionsOf(reader, world).has('read'),
  );
  return {
    id,
    name,
    ...(isShown && email !== null ? { email } : {}),
    role,
    worldRoles: Object.fromEntries(shown),
    ...(isShown ? { status } : {}),
    createdAt: new Date(createdAt).toISOString(),
  };
}

/** Active people, and for admins also disabled ones, in the order in which they were added. */
export async function listPeople(store: Store, reader: Access): Promise<Person[]> {
  const isListed = ({ status }: PersonRecord): boolean =>
    status === 'active' || (status === 'disabled' && actionsOf(reader).has('admin'));
  const { people, passkeys } = await store.read(async (stored) => ({
    people: await stored.people(),
    passkeys: await passkeysToConfirm(stored, reader),
  }));
  return people.filter(isListed).map((person) => {
    const { length } = passkeys.filter(({ personId }) => personId === person.id);
    return { ...toPerson(person, reader), ...(length === 0 ? {} : { passkeysToConfirm: length }) };
  });
}

/** Passkeys of other people that wait until this reader, or another admin, confirms them (WHO6.1). */
export async function passkeysToConfirm(
  stored: Pick<StoreReader, 'passkeys'>,
  reader: Access,
): Promise<readonly CredentialRecord[]> {
  if (reader.person === undefined || !actionsOf(reader).has('admin')) return [];
  return (await stored.passkeys())
    .filter(({ person }) => person.status === 'active' && person.id !== reader.person?.id)
    .filter(
      ({ person, credential }) =>
        credential.data.passkey?.trusted === false && (person.role !== 'owner' || isOwner(reader)),
    )
    .map(({ credential }) => credential);
}

/** Removed people can still be read: the audit log refers to them. */
export async function readPerson(store: Store, id: string): Promise<PersonRecord> {
  return known(await store.read((reader) => reader.person(id)), id);
}

export async function addPerson(store: Store, given: z.output<typeof newPersonSchema>, by: By): Promise<PersonRecord> {
  refuseOwnerChange(by, given.role === 'owner');
  return await changePeople(store, by.signer, async (tx) => {
    await refuseUnknownWorlds(tx, given.worldRoles);
    // Ids of removed people are never reused, and in a rule `@name` means a group or a person.
    const taken = new Set([...(await tx.people()).map(({ id }) => id), ...(await tx.groups()).map(({ name }) => name)]);
    const id = await freeId(slug(given.name, 'person').slice(0, LONGEST_ID), async (candidate) => taken.has(candidate));
    const { name, email = null, role, worldRoles } = given;
    const person = { id, name, email, role, worldRoles, status: 'active', rev: 1, createdAt: tx.now() } as const;
    refuseWider(by, person);
    await tx.insertPerson(person);
    return { value: person, record: { decision: 'person added', why: `${id}: ${rightsOf(person)}` } };
  });
}

export async function changePerson(store: Store, id: string, change: PersonChange, by: By): Promise<PersonRecord> {
  return await changePeople(store, by.signer, async (tx) => {
    const before = present(await tx.person(id), id);
    refuseOwnerChange(by, before.role === 'owner' || change.role === 'owner');
    if (before.oidc !== undefined && change.role !== undefined && change.role !== before.role)
      throw new HttpProblem(409, problemTexts.oidcRole(before.name), { field: 'role' });
    if (change.worldRoles !== undefined) await refuseUnknownWorlds(tx, change.worldRoles, before.worldRoles);
    const after: PersonRecord = { ...before, ...change };
    if (after.status === 'disabled' && by.access.person?.id === id)
      throw new HttpProblem(409, problemTexts.ownAccount('disable'), { field: 'status' });
    await refuseLastOwner(tx, before, after);
    refuseWider(by, after, before);
    const why = differences(before, after);
    if (why === '') return { value: before };
    await update(tx, after);
    if (after.status === 'disabled' && before.status === 'active') {
      await tx.endCredentials(id);
      return { value: after, record: { decision: 'person disabled', why: `${id}: ${why}` } };
    }
    const isEnabled = after.status === 'active' && before.status === 'disabled';
    return {
      value: after,
      record: { decision: isEnabled ? 'person enabled' : 'person changed', why: `${id}: ${why}` },
    };
  });
}

/** The row is kept, so that signatures in the audit log stay readable. */
export async function removePerson(store: Store, id: string, by: By): Promise<void> {
  await changePeople(store, by.signer, async (tx) => {
    const before = present(await tx.person(id), id);
    refuseOwnerChange(by, before.role === 'owner');
    if (by.access.person?.id === id) throw new HttpProblem(409, problemTexts.ownAccount('remove'));
    // The account is kept: signing in again must not bring the person back.
    const account = before.oidc;
    const oidc =
      account === undefined
        ? {}
        : { oidc: { issuer: account.issuer, subject: account.subject, groups: [], checkedAt: 0 } };
    const after = { ...before, ...oidc, status: 'removed' } as const;
    await refuseLastOwner(tx, before, after);
    await update(tx, after);
    await tx.endCredentials(id);
    for (const group of await tx.groups()) {
      const people = group.people.filter((each) => each !== id);
      if (people.length < group.people.length) await tx.putGroup({ ...group, people });
    }
    return { value: undefined, record: { decision: 'person removed', why: `${id}: ${before.name}` } };
  });
}

async function update(tx: StoreTransaction, after: PersonRecord): Promise<void> {
  if (await tx.updatePerson(after)) return await endCreated(tx, after);
  throw new CountersignError('stale', 'Someone else changed this person at the same time. Try again.');
}

/** A person who exists and wasn't removed. */
export function present(person: PersonRecord | undefined, id: string): PersonRecord {
  return known(person?.status === 'removed' ? undefined : person, id);
}

function known(person: PersonRecord | undefined, id: string): PersonRecord {
  if (person !== undefined) return person;
  throw new CountersignError('not-found', `There is no person "${id}".`);
}

/** Only an owner can add, change, invite or remove an owner: an admin could otherwise become one. */
export function refuseOwnerChange({ access }: By, concernsOwner: boolean): void {
  if (concernsOwner && !isOwner(access)) throw new HttpProblem(403, problemTexts.onlyOwners);
}

/**
 * A credential without `sign` can't give it to anyone: it could invite a person who may not sign, sign in as them, and give them the right
 * afterwards (WHO5.1).
 */
function refuseWider({ access }: By, after: PersonRecord, before?: PersonRecord): void {
  const maySign = (person: PersonRecord, worldId?: string): boolean =>
    effectiveActions(person, worldId, undefined).has('sign');
  const isGiven = (worldId?: string): boolean =>
    maySign(after, worldId) && (before === undefined || !maySign(before, worldId));
  const worlds = [undefined, ...Object.keys(after.worldRoles)];
  if (actionsAnywhere(access).has('sign') || !worlds.some((worldId) => isGiven(worldId))) return;
  throw new HttpProblem(403, problemTexts.widerRole, { field: 'role' });
}

async function refuseLastOwner(tx: StoreReader, before: PersonRecord, after: PersonRecord): Promise<void> {
  const isActiveOwner = ({ role, status }: PersonRecord): boolean => role === 'owner' && status === 'active';
  if (!isActiveOwner(before) || isActiveOwner(after)) return;
  const others = (await tx.people()).filter((person) => person.id !== before.id && isActiveOwner(person));
  if (others.length === 0) throw new HttpProblem(409, problemTexts.lastOwner(before.name));
}

/** Worlds that were deleted later may stay. */
async function refuseUnknownWorlds(tx: StoreReader, roles: object, before: object = {}): Promise<void> {
  for (const worldId of Object.keys(roles)) {
    if (Object.hasOwn(before, worldId) || (await tx.worldRev(worldId)) !== undefined) continue;
    const field = `worldRoles.${worldId}`;
    throw new CountersignError('invalid', `${field}: there is no world "${worldId}"`, { field });
  }
}

function rightsOf({ role, worldRoles }: Pick<PersonRecord, 'role' | 'worldRoles'>): string {
  const worlds = Object.entries(worldRoles).map(([world, each]) => `${each} in ${world}`);
  return [...(role === null ? [] : [role]), ...worlds].join(', ') || 'no role';
}

function differences(before: PersonRecord, after: PersonRecord): string {
  const texts = (['name', 'role', 'status'] as const)
    .filter((field) => before[field] !== after[field])
    .map((field) => `${field} from ${JSON.stringify(before[field])} to ${JSON.stringify(after[field])}`);
  const isMoved = JSON.stringify(before.worldRoles) !== JSON.stringify(after.worldRoles);
  const worlds = isMoved ? [`roles from "${rightsOf(before)}" to "${rightsOf(after)}"`] : [];
  // The address itself stays out of the log, which is never deleted.
  return [...texts, ...worlds, ...(before.email === after.email ? [] : ['email address changed'])].join('; ');
}
