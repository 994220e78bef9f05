import type { CredentialRecord, FoundCredential, PersonRecord, Store, StoreReader } from '@countersign/core/ports';
import { CountersignError, type OpenSession, type Signer } from '@countersign/protocol';
import { hashSecret, randomSecret } from '../auth/secrets.js';
import { refuseLimited, refuseOthers } from './access.js';
import type { By } from './by.js';
import { changePeople } from './change-people.js';
import { inBoth } from './link-device.js';
import { present, refuseOwnerChange } from './manage-people.js';
import { insertCredential, isUsable, makeSecret, SESSION_LIFETIMES } from './credentials.js';

/** What opens a session: a single-use link, or a personal token. */
export type SessionKey = Pick<FoundCredential, 'credential'>;

/** The two secrets of a new session: the cookie, which any server on this host receives, and the header value, which only the page has. */
interface OpenedSession {
  cookie: string;
  header: string;
  person: PersonRecord;
}

const MOST_SESSIONS = 100;

/**
 * Opens a session with a ticket, an invitation or a personal token. Checks again in the transaction: the person may have been disabled in the
 * meantime, and a link works only once. Undefined if it doesn't work.
 */
export async function openSession(
  store: Store,
  { credential: key }: SessionKey,
  device: string,
  { idleMs, mostMs } = SESSION_LIFETIMES,
): Promise<OpenedSession | undefined> {
  const made = makeSecret();
  const header = randomSecret();
  return await changePeople<OpenedSession | undefined>(store, undefined, async (tx) => {
    const found = await tx.credential(key.id);
    if (found === undefined || !isUsable(found, tx.now())) return { value: undefined };
    const { person, credential } = found;
    // A session would not be limited to the agent.
    if (credential.data.external !== undefined) return { value: undefined };
    const isToken = credential.kind === 'token';
    const isLink = credential.kind === 'ticket' || credential.kind === 'invitation';
    if (isLink && !(await tx.endCredential(credential.id))) return { value: undefined };
    const { createdBy, linked } = credential.data;
    const isElsewhere =
      credential.kind === 'invitation' && createdBy !== undefined && (await isLimitedFor(tx, person.id, credential));
    const invitedBy = credential.kind === 'invitation' && createdBy !== undefined ? ` by ${createdBy}` : '';
    const parentId = isToken ? credential.id : credential.parentId;
    const parent = parentId === null ? undefined : await tx.credential(parentId);
    if (parentId !== null && (parent === undefined || !isUsable(parent, tx.now()))) return { value: undefined };
    const source = linked === true ? parent?.credential : undefined;
    if (linked === true && source === undefined) return { value: undefined };
    const scopes = isElsewhere ? LIMITED_SCOPES : inBoth(source?.data.scopes, credential.data.scopes);
    const origin = isElsewhere ? `, invited${invitedBy}` : source === undefined ? '' : `, opened from ${source.name}`;
    await endOldest(tx, await tx.credentials(person.id, 'session'));
    await insertCredential(tx, made, {
      personId: person.id,
      kind: 'session',
      name: `${device}${origin}`.slice(0, LONGEST_NAME),
      data: {
        headerHash: hashSecret(header).toString('hex'),
        ...(scopes === undefined ? {} : { scopes }),
        ...(linked === true ? { linked } : {}),
        ...(credential.data.passkey?.trusted === false ? { untrusted: true as const } : {}),
      },
      // Like the session that opened it, it ends with their token.
      parentId: source === undefined ? parentId : source.parentId,
      // A session never outlives the token it was opened with.
      expiresAt: Math.min(tx.now() + Math.min(idleMs, mostMs), parent?.credential.expiresAt ?? Infinity),
    });
    const who = { kind: 'person', id: person.id, name: person.name } as const;
    const signer: Signer = { who, via: device };
    tx.record({
      kind: 'policy',
      decision: 'session opened',
      why: `${person.id}: ${source === undefined ? howOf(credential) : `with a link from ${source.name} (${source.id})`}${invitedBy}${isElsewhere ? ELSEWHERE : ''}`,
      ...signer,
    });
    return { value: { cookie: `${made.id}.${made.secret}`, header, person } };
  });
}

const LONGEST_NAME = 200;
const ELSEWHERE = ', although signed in elsewhere; may only read and chat';
/** Without `admin` too: such a session could register a passkey, which signs in without these limits. */
export const LIMITED_SCOPES = ['read', 'chat'] as const;

/** An invitation that was limited when it was sent stays limited. */
async function isLimitedFor(
  tx: Pick<StoreReader, 'credentials'>,
  personId: string,
  { data }: CredentialRecord,
): Promise<boolean> {
  return data.scopes !== undefined || (await hasOwnWayIn(tx, personId));
}

/**
 * Whether a person can sign in without someone else's invitation. An invitation for such a person doesn't let anyone sign calls: its creator may
 * have opened it (WHO5.1).
 */
export async function hasOwnWayIn(tx: Pick<StoreReader, 'credentials'>, personId: string): Promise<boolean> {
  for (const kind of ['session', 'passkey', 'token'] as const) {
    const found = await tx.credentials(personId, kind);
    if (found.some(isOwnWayIn)) return true;
  }
  return false;
}

/** A token of an external agent opens no session. */
export function isOwnWayIn({ data }: CredentialRecord): boolean {
  return data.createdBy === undefined && data.external === undefined;
}

function howOf({ kind, data }: CredentialRecord): string {
  return data.oidc === true ? 'with OIDC' : HOW[kind];
}

const HOW = {
  ticket: 'with a start link',
  invitation: 'with an invitation',
  token: 'with a personal token',
  session: 'with a session',
  passkey: 'with a passkey',
  challenge: 'with a challenge',
  delegation: 'with a delegation',
  push: 'with a push subscription',
} as const satisfies Record<CredentialRecord['kind'], string>;

async function endOldest(
  tx: { endCredential(id: string): Promise<boolean> },
  sessions: readonly CredentialRecord[],
): Promise<void> {
  const byUse = [...sessions].sort((a, b) => (b.usedAt ?? b.createdAt) - (a.usedAt ?? a.createdAt));
  for (const { id } of byUse.slice(MOST_SESSIONS - 1)) await tx.endCredential(id);
}

/** The sessions of the person who asks. */
export async function listSessions(store: Store, { access }: By): Promise<OpenSession[]> {
  const { person, holder } = access;
  return person === undefined ? [] : await sessionsOf(store, person.id, holder);
}

/** A person's sessions, for the person or an admin. */
export async function listSessionsOf(store: Store, personId: string, { access }: By): Promise<OpenSession[]> {
  present(await store.read((reader) => reader.person(personId)), personId);
  refuseOthers(access, personId);
  return await sessionsOf(store, personId, access.holder);
}

async function sessionsOf(store: Store, personId: string, holder: string): Promise<OpenSession[]> {
  const sessions = await store.read((reader) => reader.credentials(personId, 'session'));
  return sessions.map(({ id, name, data, createdAt, usedAt, expiresAt }) => ({
    id,
    device: name,
    current: id === holder,
    createdAt: toText(createdAt),
    usedAt: toText(usedAt ?? createdAt),
    ...(data.usedFrom === undefined ? {} : { usedFrom: data.usedFrom }),
    expiresAt: toText(expiresAt ?? createdAt + SESSION_LIFETIMES.idleMs),
  }));
}

/** Ends one session of the person who asks, or all except the current one. With `personId`, an admin ends those of someone else. */
export async function endSessions(
  store: Store,
  by: By,
  { session: id, personId = by.access.person?.id }: { session?: string | undefined; personId?: string } = {},
): Promise<void> {
  const { person, holder } = by.access;
  // Signing out is always possible.
  if (id !== holder) refuseLimited(by.access);
  await changePeople(store, by.signer, async (tx) => {
    if (personId !== undefined && personId !== person?.id) {
      const other = present(await tx.person(personId), personId);
      refuseOthers(by.access, personId);
      refuseOwnerChange(by, other.role === 'owner');
    }
    const sessions = personId === undefined ? [] : await tx.credentials(personId, 'session');
    const ended = sessions.filter((session) => (id === undefined ? session.id !== holder : session.id === id));
    if (id !== undefined && ended.length === 0)
      throw new CountersignError('not-found', `There is no open session "${id}".`);
    for (const session of ended) await tx.endCredential(session.id);
    if (ended.length === 0) return { value: undefined };
    const names = ended.map(({ name, id: ending }) => `${name} (${ending})`).join(', ');
    return { value: undefined, record: { decision: 'session ended', why: `${personId}: ${names}` } };
  });
}

function toText(ms: number): string {
  return new Date(ms).toISOString();
}
