import {
  SERVER_LOG,
  type CredentialKind,
  type CredentialRecord,
  type FoundCredential,
  type GroupRecord,
  type OidcIdentity,
  type PersonRecord,
  type StoreTransaction,
} from '@countersign/core/ports';
import { CountersignError, looksLike, type PersonStatus, type PersonRole } from '@countersign/protocol';
import type { Connection } from '../connection.js';
import type { CredentialRow, GroupRow, PeopleStatements, PersonRow } from '../queries/people.js';
import type { TransactionState } from '../transaction-state.js';

type PeopleVerbs = Pick<
  StoreTransaction,
  | 'people'
  | 'person'
  | 'personByOidc'
  | 'credential'
  | 'credentialsById'
  | 'credentials'
  | 'passkeys'
  | 'delegations'
  | 'subscriptions'
  | 'groups'
  | 'lockServerLog'
  | 'insertPerson'
  | 'updatePerson'
  | 'insertCredential'
  | 'useCredential'
  | 'updateCredential'
  | 'endCredential'
  | 'endCredentials'
  | 'putGroup'
  | 'deleteGroup'
>;

/** How long ended credentials are kept. */
const KEEP_MS = 24 * 60 * 60 * 1000;

export function peopleVerbs(on: Connection, s: PeopleStatements, state: TransactionState): PeopleVerbs {
  const people = on.all(s.people, toPerson);
  const person = on.first(s.person, toPerson);
  const personByOidc = on.first(s.personByOidc, toPerson);
  const byEmail = on.first(s.personByEmail, ([id]) => id);
  const insertPerson = on.run(s.insertPerson);
  const updatePerson = on.run(s.updatePerson);
  const credential = on.first(s.credential, toFound);
  const credentialsById = on.all(s.credentialsById, toFound);
  const credentials = on.all(s.credentials, toCredential);
  const passkeys = on.all(s.passkeys, toFound);
  const subscriptions = on.all(s.subscriptions, toFound);
  const delegations = on.all(s.delegations, toCredential);
  const updateCredential = on.run(s.updateCredential);
  const insertCredential = on.run(s.insertCredential);
  const forgetCredentials = on.run(s.forgetCredentials);
  const useCredential = on.run(s.useCredential);
  const endCredential = on.run(s.endCredential);
  const endSessionsOf = on.run(s.endSessionsOf);
  const endCredentials = on.run(s.endCredentials);
  const groups = on.all(s.groups, toGroup);
  const putGroup = on.run(s.putGroup);
  const deleteGroup = on.run(s.deleteGroup);
  const insertServerLog = on.run(s.insertServerLog);
  const lockServerLog = on.run(s.lockServerLog);

  /** Checks first: a violated constraint would abort the transaction without naming the field. */
  async function refuseTaken({ id, name, email, status }: PersonRecord): Promise<void> {
    if (status === 'removed') return;
    const others = (await people({})).filter((each) => each.id !== id && each.status !== 'removed');
    const before = await person({ id });
    // People who already have such names keep them.
    const named = before?.name === name ? undefined : others.find((each) => looksLike(each.name, name));
    if (named !== undefined)
      throw taken(
        'name',
        keyOf(named.name) === keyOf(name)
          ? `there is already a person "${named.name}". Choose another name.`
          : `looks like the name of another person, "${named.name}". Choose a name that differs more.`,
      );
    const addressed = email === null ? undefined : await byEmail({ emailKey: keyOf(email) });
    if (addressed !== undefined && addressed !== id) throw taken('email', 'another person has this email address');
  }

  return {
    people: async () => people({}),
    person: async (id) => person({ id }),
    personByOidc: async (issuer, subject) => personByOidc({ oidcKey: oidcKeyOf({ issuer, subject }) }),
    credential: async (id) => credential({ id }),
    credentialsById: async (ids) => credentialsById({ ids: JSON.stringify(ids) }),
    credentials: async (personId, kind) => credentials({ personId, kind, now: state.now }),
    passkeys: async () => passkeys({}),
    subscriptions: async () => subscriptions({}),
    delegations: async () => delegations({}),
    groups: async () => groups({}),

    async lockServerLog() {
      await insertServerLog({ id: SERVER_LOG, now: state.now });
      await lockServerLog({ id: SERVER_LOG });
    },
    async insertPerson(record) {
      await refuseTaken(record);
      if ((await insertPerson({ ...toRow(record), createdAt: record.createdAt })) === 0) {
        throw taken('name', 'someone just added a person with this name or email address. Try again.');
      }
    },
    async updatePerson(record) {
      await refuseTaken(record);
      return (await updatePerson(toRow(record))) === 1;
    },

    async insertCredential({ data, ...record }) {
      await forgetCredentials({ before: state.now - KEEP_MS, now: state.now });
      await insertCredential({ ...record, data: JSON.stringify(data) });
    },
    async useCredential(id, { usedAt, expiresAt }) {
      await useCredential({ id, usedAt, expiresAt });
    },
    async updateCredential(id, data) {
      await updateCredential({ id, data: JSON.stringify(data) });
    },
    async endCredential(id) {
      const { now } = state;
      const isEnded = (await endCredential({ id, now })) === 1;
      if (isEnded) await endSessionsOf({ parentId: id, now });
      return isEnded;
    },
    async endCredentials(personId, kind) {
      await endCredentials({ personId, kind: kind ?? null, now: state.now });
    },

    async putGroup({ name, people, oidcGroup }) {
      await putGroup({ name, people: JSON.stringify(people), oidcGroup });
    },
    deleteGroup: async (name) => (await deleteGroup({ name })) === 1,
  };
}

function toRow({ id, name, email, role, worldRoles, status, rev, oidc }: PersonRecord) {
  const keys = { nameKey: keyOf(name), emailKey: email === null ? null : keyOf(email) };
  const account =
    oidc === undefined ? { oidc: null, oidcKey: null } : { oidc: JSON.stringify(oidc), oidcKey: oidcKeyOf(oidc) };
  return { id, name, email, ...keys, role, worldRoles: JSON.stringify(worldRoles), status, rev, ...account };
}

function oidcKeyOf({ issuer, subject }: Pick<OidcIdentity, 'issuer' | 'subject'>): string {
  return JSON.stringify([issuer, subject]);
}

function keyOf(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

function taken(field: 'name' | 'email', detail: string): CountersignError {
  return new CountersignError('conflict', `${field}: ${detail}`, { field });
}

export function toPerson(row: PersonRow): PersonRecord {
  const [id, name, , email, , role, worldRoles, status, rev, createdAt, oidc] = row;
  return {
    id,
    name,
    email,
    role: role as PersonRole | null,
    worldRoles: JSON.parse(worldRoles) as Record<string, PersonRole>,
    status: status as PersonStatus,
    rev,
    createdAt,
    ...(oidc === null ? {} : { oidc: JSON.parse(oidc) as OidcIdentity }),
  };
}

export function toCredential(row: CredentialRow): CredentialRecord {
  const [id, personId, kind, name, hash, data, parentId, createdAt, usedAt, expiresAt, endedAt] = row;
  return {
    id,
    personId,
    kind: kind as CredentialKind,
    name,
    hash,
    data: JSON.parse(data) as CredentialRecord['data'],
    parentId,
    createdAt,
    usedAt,
    expiresAt,
    endedAt,
  };
}

export function toFound(row: [...CredentialRow, ...PersonRow]): FoundCredential {
  const [id, personId, kind, name, hash, data, parentId, createdAt, usedAt, expiresAt, endedAt, ...person] = row;
  const cells = [id, personId, kind, name, hash, data, parentId, createdAt, usedAt, expiresAt, endedAt] as const;
  return { credential: toCredential([...cells]), person: toPerson(person) };
}

export function toGroup([name, people, oidcGroup]: GroupRow): GroupRecord {
  return { name, people: JSON.parse(people) as string[], oidcGroup };
}
