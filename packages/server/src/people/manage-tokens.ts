import type { CredentialRecord, ExternalTokenData, Store, StoreReader } from '@countersign/core/ports';
import { CountersignError, type CreatedToken, type NewToken, type Token, type TokenScope } from '@countersign/protocol';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { actionsAnywhere, refuseLimited, refuseOthers } from './access.js';
import type { By } from './by.js';
import { changePeople } from './change-people.js';
import { INVITATION_MS, insertCredential, LONGEST_TOKEN_MS, makeLink, makeSecret } from './credentials.js';
import { present, refuseOwnerChange } from './manage-people.js';
import { creatorOf } from './end-created.js';
import { hasOwnWayIn, LIMITED_SCOPES } from './manage-sessions.js';
import { refuseNewCredential } from './recent-sign-in.js';

/** Each is checked with every request. */
const MOST_WORLDS = 500;
const DEFAULT_MS = 90 * 24 * 60 * 60 * 1000;

/** A person's current tokens, for the person or an admin. */
export async function listTokens(store: Store, personId: string, by: By): Promise<Token[]> {
  const { person, tokens } = await store.read(async (reader) => ({
    person: present(await reader.person(personId), personId),
    tokens: await reader.credentials(personId, 'token'),
  }));
  refuseOthers(by.access, person.id);
  return tokens.map(toToken);
}

/**
 * Creates a personal token. A token never gets more than both its person and its creator may do. A token without `admin`, or a session opened
 * with one, can't create others: they would outlive a leaked token. `external`: the only agent whose calls it may propose. `isConfirmed`: a passkey
 * confirmed this request.
 */
export async function createToken(
  store: Store,
  personId: string,
  given: NewToken,
  by: By,
  { external, isConfirmed }: { external?: ExternalTokenData; isConfirmed: boolean },
): Promise<CreatedToken> {
  const made = makeSecret();
  const record = await changePeople(store, by.signer, async (tx) => {
    await refuseToken(tx, personId, given, by, isConfirmed);
    const isOwn = by.access.person?.id === personId;
    const expiresAt = expiryOf(given, tx.now());
    const scopes = [...new Set(given.scopes)];
    const createdBy = isOwn ? {} : creatorOf(by);
    const record = await insertCredential(tx, made, {
      personId,
      kind: 'token',
      name: given.name,
      data: { scopes, ...createdBy, ...(external && { external }) },
      expiresAt,
    });
    const why = `${personId}: "${given.name}" (${record.id}), may ${scopes.join(', ')}${external === undefined ? '' : ` as ${external.agentId} in ${external.worldId}`}`;
    return { value: record, record: { decision: 'token created', why } };
  });
  return { ...toToken(record), token: `cs_${made.id}_${made.secret}` };
}

/**
 * The token of a gated agent that may also get a world: of this person, for the same program, and used by the same person (EXT1.32). Throws if
 * no such token has this id.
 */
export async function findExtendable(
  reader: Pick<StoreReader, 'credentials'>,
  personId: string,
  id: string,
  { program, isPersonal }: Pick<ExternalTokenData, 'program' | 'isPersonal'>,
): Promise<CredentialRecord & { data: { external: ExternalTokenData } }> {
  const found = (await reader.credentials(personId, 'token')).find((token) => token.id === id);
  const known = found?.data.external;
  if (found === undefined || known === undefined || known.program !== program || known.isPersonal !== isPersonal)
    throw new CountersignError('not-found', `There is no token "${id}" of this agent.`);
  return { ...found, data: { ...found.data, external: known } };
}

/** Lets the token of a gated agent propose its calls in one more world. Needs the same rights as creating a token. */
export async function extendToken(
  store: Store,
  personId: string,
  id: string,
  by: By,
  { external, isConfirmed }: { external: ExternalTokenData; isConfirmed: boolean },
): Promise<void> {
  const { worldId, agentId } = external;
  await changePeople(store, by.signer, async (tx) => {
    await refuseToken(tx, personId, { scopes: ['propose'] }, by, isConfirmed);
    const { name, data } = await findExtendable(tx, personId, id, external);
    const { also = [], ...first } = data.external;
    const others = also.filter((place) => place.worldId !== worldId);
    if (others.length >= MOST_WORLDS)
      throw new CountersignError('invalid', `This token has ${MOST_WORLDS} worlds already.`);
    const isFirst = first.worldId === worldId;
    const now = isFirst ? { ...first, agentId, also: others } : { ...first, also: [...others, { worldId, agentId }] };
    await tx.updateCredential(id, { ...data, external: now });
    const why = `${personId}: "${name}" (${id}), may propose as ${agentId} in ${worldId}`;
    return { value: undefined, record: { decision: 'token extended', why } };
  });
}

/** Throws if this credential may not create this token. */
export async function refuseToken(
  reader: Pick<StoreReader, 'person' | 'credential' | 'credentials' | 'now'>,
  personId: string,
  given: Pick<NewToken, 'scopes'>,
  by: By,
  isConfirmed: boolean,
): Promise<void> {
  refuseLimited(by.access);
  const person = present(await reader.person(personId), personId);
  const isOwn = by.access.person?.id === personId;
  refuseOthers(by.access, personId);
  refuseOwnerChange(by, !isOwn && person.role === 'owner');
  if (person.status !== 'active') throw new HttpProblem(409, problemTexts.disabledPerson(person.name));
  const theirs = actionsAnywhere({ person });
  const own = actionsAnywhere(by.access);
  const refused = given.scopes.find((scope) => !theirs.has(scope) || !own.has(scope));
  if (refused !== undefined) {
    const detail = theirs.has(refused)
      ? problemTexts.widerScope(refused)
      : problemTexts.roleLacks(person.name, refused);
    throw new HttpProblem(403, detail, { field: 'scopes' });
  }
  // Otherwise, an admin could sign as two people and meet `by 2 of @finance` alone (WHO5.1).
  if (!isOwn && given.scopes.includes('sign'))
    throw new HttpProblem(403, problemTexts.signsForOthers, { field: 'scopes' });
  await refuseNewCredential(reader, by, { isConfirmed });
}

function expiryOf({ expiresAt }: NewToken, now: number): number {
  const at = expiresAt === undefined ? now + DEFAULT_MS : Date.parse(expiresAt);
  if (at > now && at <= now + LONGEST_TOKEN_MS) return at;
  const detail = at > now ? 'must be at most a year ahead' : 'must be in the future';
  throw new CountersignError('invalid', `expiresAt: ${detail}`, { field: 'expiresAt' });
}

/** Also ends the sessions that were opened with it. */
export async function revokeToken(store: Store, personId: string, id: string, by: By): Promise<void> {
  refuseLimited(by.access);
  await changePeople(store, by.signer, async (tx) => {
    const person = present(await tx.person(personId), personId);
    refuseOthers(by.access, personId);
    refuseOwnerChange(by, by.access.person?.id !== personId && person.role === 'owner');
    const found = (await tx.credentials(personId, 'token')).find((token) => token.id === id);
    if (found === undefined || !(await tx.endCredential(id)))
      throw new CountersignError('not-found', `There is no token "${id}".`);
    return { value: undefined, record: { decision: 'token revoked', why: `${personId}: "${found.name}" (${id})` } };
  });
}

/** Creates the code of a single-use link that signs a person in. Earlier invitations for the person end. */
export async function invitePerson(
  store: Store,
  personId: string,
  by: By,
  isConfirmed: boolean,
): Promise<{ invitation: string; expiresAt: number; scopes?: readonly TokenScope[] }> {
  const made = makeLink();
  return await changePeople(store, by.signer, async (tx) => {
    const person = present(await tx.person(personId), personId);
    refuseOwnerChange(by, person.role === 'owner');
    if (person.status !== 'active') throw new HttpProblem(409, problemTexts.disabledPerson(person.name));
    if (person.oidc !== undefined) throw new HttpProblem(409, problemTexts.oidcInvitation(person.name));
    // The person who creates the link could also open it.
    const own = actionsAnywhere(by.access);
    const wider = [...actionsAnywhere({ person })].find((action) => !own.has(action));
    if (wider !== undefined) throw new HttpProblem(403, problemTexts.widerScope(wider));
    await refuseNewCredential(tx, by, { isConfirmed });
    await tx.endCredentials(personId, 'invitation');
    const expiresAt = tx.now() + INVITATION_MS;
    const isOwn = by.access.person?.id === personId;
    const limits = !isOwn && (await hasOwnWayIn(tx, personId)) ? { scopes: LIMITED_SCOPES } : {};
    const data = isOwn ? {} : { ...creatorOf(by), ...limits };
    await insertCredential(tx, made, { personId, kind: 'invitation', name: '', data, expiresAt });
    const value = { invitation: made.secret, expiresAt, ...limits };
    const rights = limits.scopes === undefined ? '' : ', may only read and chat';
    return { value, record: { decision: 'invitation created', why: `${personId}: ${person.name}${rights}` } };
  });
}

function toToken({ id, name, data, createdAt, usedAt, expiresAt }: CredentialRecord): Token {
  return {
    id,
    name,
    scopes: [...(data.scopes ?? [])],
    ...(data.external && {
      external: {
        world: data.external.worldId,
        agent: data.external.agentId,
        ...(data.external.also && {
          also: data.external.also.map(({ worldId: world, agentId: agent }) => ({ world, agent })),
        }),
      },
    }),
    ...(data.createdBy === undefined ? {} : { createdBy: data.createdBy }),
    createdAt: toText(createdAt),
    ...(usedAt === null ? {} : { usedAt: toText(usedAt) }),
    ...(data.usedFrom === undefined ? {} : { usedFrom: data.usedFrom }),
    expiresAt: toText(expiresAt ?? createdAt + LONGEST_TOKEN_MS),
  };
}

function toText(ms: number): string {
  return new Date(ms).toISOString();
}
