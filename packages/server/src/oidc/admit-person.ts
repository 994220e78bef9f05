import { freeId, isSignedOut } from '@countersign/core';
import type { FoundCredential, OidcIdentity, PersonRecord, SecretBox, StoreTransaction } from '@countersign/core/ports';
import {
  CountersignError,
  looksLike,
  newPersonSchema,
  personNameSchema,
  slug,
  type Signer,
  whoToAsk,
} from '@countersign/protocol';
import type { PeopleChange } from '../people/change-people.js';
import { insertCredential, makeLink, TICKET_MS } from '../people/credentials.js';
import { endCreated } from '../people/end-created.js';
import { LONGEST_ID } from '../people/manage-people.js';
import type { OidcAccount } from './oidc-provider.js';
import { roleOf, type OidcSettings } from './oidc-settings.js';

const LONGEST_NAME = 90;

/** `admins`: the names of those who can help. */
export type Admission =
  | { kind: 'admitted'; ticket: FoundCredential }
  | { kind: 'no-role' | 'inactive'; admins: readonly string[] };

interface Admitting {
  account: OidcAccount;
  settings: OidcSettings;
  box: SecretBox;
  /** The device that signs in. */
  via: string;
}

/**
 * Lets the person with this account in: adds them at the first sign-in, and updates their role and groups at each. Only the issuer and subject
 * identify a person: an email address, which others may control, never does.
 */
export async function admitPerson(tx: StoreTransaction, given: Admitting): Promise<PeopleChange<Admission>> {
  const { account, settings, via } = given;
  const role = roleOf(account.groups, settings);
  const before = await tx.personByOidc(account.issuer, account.subject);
  const admins = async (): Promise<string[]> => whoToAsk(await tx.people(), 'admin', undefined);
  if (before !== undefined && before.status !== 'active')
    return { value: { kind: 'inactive', admins: await admins() } };
  if (role === undefined) {
    const value = { kind: 'no-role', admins: await admins() } as const;
    return before === undefined ? { value } : { value, ...(await loseRole(tx, before, settings)) };
  }
  const person = before === undefined ? await addPerson(tx, given, role) : await updatePerson(tx, before, given, role);
  const made = makeLink();
  const credential = await insertCredential(tx, made, {
    personId: person.id,
    kind: 'ticket',
    name: '',
    data: { oidc: true },
    expiresAt: tx.now() + TICKET_MS,
  });
  const value = { kind: 'admitted', ticket: { credential, person } } as const;
  const signer: Signer = { who: { kind: 'person', id: person.id, name: person.name }, via };
  if (before === undefined) {
    const why = `${person.id}: ${role}, added by the first sign-in with ${settings.name}`;
    tx.record({ kind: 'policy', decision: 'person added', why, ...signer });
  } else if (before.role !== role) {
    tx.record({ kind: 'policy', decision: 'person changed', why: roleChange(before, role, settings), ...signer });
  }
  return { value };
}

/** Applies what the provider says about a person who is already signed in. */
export async function refreshPerson(
  tx: StoreTransaction,
  person: PersonRecord,
  given: Omit<Admitting, 'via'>,
): Promise<PeopleChange<PersonRecord>> {
  const role = roleOf(given.account.groups, given.settings);
  if (role === undefined) {
    const lost = await loseRole(tx, person, given.settings);
    return { value: { ...person, role: null }, ...lost };
  }
  const value = await updatePerson(tx, person, given, role);
  return person.role === role
    ? { value }
    : { value, record: { decision: 'person changed', why: roleChange(person, role, given.settings) } };
}

/** Ends the sessions of a person whose sign-in the provider no longer confirms. Tokens don't work until the person signs in again. */
export async function endSignIn(
  tx: StoreTransaction,
  person: PersonRecord,
  { name }: OidcSettings,
): Promise<PeopleChange<PersonRecord>> {
  const value = await writePerson(tx, person, { checkedAt: 0 });
  await tx.endCredentials(person.id, 'session');
  return { value, record: { decision: 'session ended', why: `${person.id}: all, because ${name} ended the sign-in` } };
}

async function loseRole(
  tx: StoreTransaction,
  person: PersonRecord,
  settings: OidcSettings,
): Promise<Required<Pick<PeopleChange<void>, 'record'>>> {
  await writePerson(tx, { ...person, role: null }, { groups: [], checkedAt: 0 });
  await endCreated(tx, { ...person, role: null });
  await tx.endCredentials(person.id, 'session');
  return { record: { decision: 'person changed', why: `${roleChange(person, null, settings)}; sessions ended` } };
}

function roleChange({ id, role }: PersonRecord, now: string | null, { name }: OidcSettings): string {
  return `${id}: role from ${JSON.stringify(role)} to ${JSON.stringify(now)}, from the groups at ${name}`;
}

async function addPerson(
  tx: StoreTransaction,
  { account, box }: Admitting,
  role: NonNullable<PersonRecord['role']>,
): Promise<PersonRecord> {
  const people = await tx.people();
  const current = people.filter(({ status }) => status !== 'removed');
  const isFree = (name: string): boolean => !current.some((each) => looksLike(each.name, name));
  const name = nameFor(account, isFree);
  const taken = new Set([...people.map(({ id }) => id), ...(await tx.groups()).map((group) => group.name)]);
  const id = await freeId(slug(name, 'person').slice(0, LONGEST_ID), async (candidate) => taken.has(candidate));
  const address = newPersonSchema.shape.email.safeParse(account.email).data;
  const isUsed = current.some(({ email }) => email !== null && keyOf(email) === keyOf(address ?? ''));
  const person: PersonRecord = {
    id,
    name,
    email: address === undefined || isUsed ? null : address,
    role,
    worldRoles: {},
    status: 'active',
    rev: 1,
    createdAt: tx.now(),
    oidc: identityOf(account, id, box, tx.now()),
  };
  await tx.insertPerson(person);
  return person;
}

/** The name at the provider. If someone else has it, with a number. */
function nameFor({ name, email }: OidcAccount, isFree: (name: string) => boolean): string {
  const usable = [name, email].find((each) => personNameSchema.max(LONGEST_NAME).safeParse(each).success);
  const first = usable ?? 'Unnamed person';
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? first : `${first} ${number}`;
    if (isFree(candidate)) return candidate;
  }
}

async function updatePerson(
  tx: StoreTransaction,
  before: PersonRecord,
  { account, box }: Pick<Admitting, 'account' | 'box'>,
  role: NonNullable<PersonRecord['role']>,
): Promise<PersonRecord> {
  const person = { ...before, role, oidc: identityOf(account, before.id, box, tx.now()) };
  if (role !== before.role) await endCreated(tx, person);
  return await write(tx, person);
}

async function writePerson(
  tx: StoreTransaction,
  person: PersonRecord,
  change: Pick<OidcIdentity, 'checkedAt'> & Partial<OidcIdentity>,
): Promise<PersonRecord> {
  if (person.oidc === undefined) return person;
  const { issuer, subject, groups } = person.oidc;
  return await write(tx, { ...person, oidc: { issuer, subject, groups, ...change } });
}

async function write(tx: StoreTransaction, person: PersonRecord): Promise<PersonRecord> {
  if (await tx.updatePerson(person)) return { ...person, rev: person.rev + 1 };
  throw new CountersignError('stale', 'Someone else changed this person at the same time. Try again.');
}

function identityOf(account: OidcAccount, personId: string, box: SecretBox, now: number): OidcIdentity {
  const { issuer, subject, groups, refreshToken } = account;
  const sealed = refreshToken === undefined ? undefined : box.seal(refreshToken, purposeOf(personId));
  return { issuer, subject, groups, checkedAt: now, ...(sealed === undefined ? {} : { refreshToken: sealed }) };
}

/** Whether a person can sign the same calls as before: the role and the groups are the same, and the sign-in didn't end. */
export function isSameSigner(before: PersonRecord | undefined, after: PersonRecord | undefined): boolean {
  const partsOf = (person: PersonRecord | undefined): string =>
    JSON.stringify([person?.role, person?.oidc?.groups, person !== undefined && isSignedOut(person)]);
  return partsOf(before) === partsOf(after);
}

/** Binds an encrypted refresh token to its person. */
export function purposeOf(personId: string): string[] {
  return ['oidc refresh token', personId];
}

function keyOf(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
