import { randomBytes } from 'node:crypto';
import type {
  CredentialKind,
  CredentialRecord,
  FoundCredential,
  Store,
  StoreTransaction,
} from '@countersign/core/ports';
import { hashSecret, isSecret, randomSecret } from '../auth/secrets.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A session ends this long after its last use, and this long after its sign-in. */
export interface SessionLifetimes {
  idleMs: number;
  mostMs: number;
}
export const SESSION_LIFETIMES: SessionLifetimes = { idleMs: 30 * DAY_MS, mostMs: 180 * DAY_MS };
/** The token of an external agent ends this long after its last use. */
const EXTERNAL_TOKEN_MS = 90 * DAY_MS;
export const LONGEST_TOKEN_MS = 366 * DAY_MS;
/** Lifetime of a start link (WHO1). */
export const TICKET_MS = MINUTE_MS;
export const INVITATION_MS = 7 * DAY_MS;
/** The last use is saved at most this often: each request would otherwise write. */
const NOTE_USE_MS = MINUTE_MS;

/** The public id and the secret of a credential. Only the hash of the secret is stored. */
export interface Made {
  id: string;
  secret: string;
}

type NewCredential = Pick<CredentialRecord, 'personId' | 'kind' | 'name'> &
  Partial<Pick<CredentialRecord, 'hash' | 'data' | 'parentId' | 'createdAt' | 'expiresAt'>>;

/** The secret of a single-use link. Its id follows from it, so that the link stays short. */
export function makeLink(): Made {
  const secret = randomSecret();
  return { id: linkId(secret), secret };
}

export function linkId(secret: string): string {
  return hashSecret(`id of ${secret}`).toString('hex').slice(0, 16);
}

export function makeSecret(): Made {
  return { id: randomBytes(8).toString('hex'), secret: randomSecret() };
}

export async function insertCredential(
  tx: StoreTransaction,
  made: Made,
  given: NewCredential,
): Promise<CredentialRecord> {
  const record: CredentialRecord = {
    id: made.id,
    hash: hashSecret(made.secret).toString('hex'),
    data: {},
    parentId: null,
    createdAt: tx.now(),
    usedAt: null,
    expiresAt: null,
    endedAt: null,
    ...given,
  };
  await tx.insertCredential(record);
  return record;
}

const FORM = /^([0-9a-f]{8}|[0-9a-f]{16})[._]([\w-]{43})$/;
const LINK = /^[\w-]{43}$/;
const NO_HASH = Buffer.alloc(32);

/** Splits `<id>.<secret>` or `<id>_<secret>`. A link is only a secret. */
function parse(kind: CredentialKind, text: string): Made | undefined {
  if (kind === 'ticket' || kind === 'invitation')
    return LINK.test(text) ? { id: linkId(text), secret: text } : undefined;
  const [, id, secret] = FORM.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** `wrong`: the id exists, but the secret is wrong, so someone may be guessing. */
export type Lookup = { kind: 'found'; found: FoundCredential } | { kind: 'wrong'; personId: string } | { kind: 'none' };

/**
 * Finds the credential that a secret belongs to. Reads the store each time, so that a revoked credential, or one whose person was disabled, is
 * refused at once in every process. `half` is the second secret of a session.
 */
export async function findCredential(
  store: Pick<Store, 'read'>,
  kind: CredentialKind,
  text: string,
  half?: string,
): Promise<Lookup> {
  const given = parse(kind, text);
  if (given === undefined) return { kind: 'none' };
  const { found, now } = await store.read(async (reader) => ({
    found: await reader.credential(given.id),
    now: reader.now(),
  }));
  const hash = found === undefined ? NO_HASH : Buffer.from(found.credential.hash, 'hex');
  const isRight = isSecret(given.secret, hash);
  const isWhole = half === undefined || isHalf(half, found?.credential.data.headerHash);
  if (found === undefined || found.credential.kind !== kind) return { kind: 'none' };
  if (!isRight || !isWhole) return { kind: 'wrong', personId: found.person.id };
  return isUsable(found, now) ? { kind: 'found', found } : { kind: 'none' };
}

/** The stored hash of a token, usable or not. */
export async function hashOfToken(store: Pick<Store, 'read'>, id: string): Promise<Buffer | undefined> {
  const found = await store.read((reader) => reader.credential(id));
  return found?.credential.kind === 'token' ? Buffer.from(found.credential.hash, 'hex') : undefined;
}

function isHalf(half: string, hash: string | undefined): boolean {
  return isSecret(half, hash === undefined ? NO_HASH : Buffer.from(hash, 'hex'));
}

export function isUsable({ credential, person }: FoundCredential, now: number): boolean {
  const { endedAt, expiresAt } = credential;
  return person.status === 'active' && endedAt === null && (expiresAt ?? Infinity) > now;
}

/** Whether a session has ended under lifetimes that were shortened since its last use. */
export function hasLapsed(
  { kind, createdAt, usedAt }: CredentialRecord,
  now: number,
  { idleMs, mostMs }: SessionLifetimes,
): boolean {
  return kind === 'session' && now >= Math.min((usedAt ?? createdAt) + idleMs, createdAt + mostMs);
}

/** Saves the time of use, and the address if it is another one. It extends the token of an external agent (unless `renews` is false), and a session that wasn't opened with a token, which would end it. */
export async function noteUse(
  store: Pick<Store, 'transact'>,
  { id, kind, data, createdAt, usedAt, parentId, expiresAt }: CredentialRecord,
  { now, from, renews }: { now: number; from: string; renews: boolean },
  { idleMs, mostMs }: SessionLifetimes,
): Promise<void> {
  let until = expiresAt;
  if (kind === 'session' && parentId === null) until = Math.min(now + idleMs, createdAt + mostMs);
  if (data.external !== undefined && renews) until = now + EXTERNAL_TOKEN_MS;
  // Absolute difference: another process's clock may be ahead.
  const isNoted = usedAt !== null && Math.abs(now - usedAt) < NOTE_USE_MS;
  if (isNoted && (until ?? 0) - (expiresAt ?? 0) < NOTE_USE_MS) return;
  await store.transact('', async (tx) => {
    await tx.useCredential(id, { usedAt: now, expiresAt: until });
    if (from !== data.usedFrom) await tx.updateCredential(id, { ...data, usedFrom: from });
  });
}
