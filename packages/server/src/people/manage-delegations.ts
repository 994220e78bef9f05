import type { CredentialRecord, PersonRecord, Store, StoreReader } from '@countersign/core/ports';
import { CountersignError, effectiveActions, type Delegation, type NewDelegation } from '@countersign/protocol';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { confirmIn } from '../confirmations/confirm-in.js';
import { actionsAnywhere, actionsOf, refuseLimited, refuseOthers } from './access.js';
import type { By } from './by.js';
import { changePeople } from './change-people.js';
import { insertCredential, makeSecret } from './credentials.js';
import { present } from './manage-people.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const LONGEST_DAYS = 90;
/** At the same time, for one person. */
const MOST = 20;

/** The delegations that a person gave and got, oldest first, for the person or an admin. Without those that have ended. */
export async function listDelegations(store: Store, personId: string, by: By): Promise<Delegation[]> {
  refuseOthers(by.access, personId);
  return await store.read(async (reader) => {
    present(await reader.person(personId), personId);
    const people = await reader.people();
    return (await currentDelegations(reader))
      .filter((record) => record.personId === personId || record.data.delegation?.to === personId)
      .flatMap((record) => toDelegation(record, people));
  });
}

/** Lets another person sign calls for the person who sends the request (SIGN4). */
export async function addDelegation(
  store: Store,
  given: NewDelegation,
  { by, origin }: { by: By; origin: string },
): Promise<Delegation> {
  const { person } = by.access;
  if (person === undefined) throw new HttpProblem(403, problemTexts.nobodysRight);
  refuseLimited(by.access);
  if (!actionsAnywhere(by.access).has('sign')) throw new HttpProblem(403, problemTexts.nothingToDelegate);
  return await changePeople(store, by.signer, async (tx) => {
    const { confirmation, ...asked } = given;
    const { to, tools, worlds } = asked;
    const delegate = (await tx.people()).find(({ id }) => id === to);
    if (delegate?.status !== 'active') throw invalid('to', `there is no active person "${to}"`);
    if (to === person.id) throw invalid('to', "you can't delegate to yourself");
    const { from, until } = readPeriod(asked, tx.now());
    await checkWorlds(tx, by, delegate, worlds);
    const own = (await currentDelegations(tx)).filter(({ personId }) => personId === person.id);
    if (own.length >= MOST) throw new HttpProblem(409, problemTexts.tooManyDelegations(MOST));
    const how = await confirmWithPasskey();
    const record = await insertCredential(tx, makeSecret(), {
      personId: person.id,
      kind: 'delegation',
      name: to,
      data: {
        delegation: {
          to,
          ...(tools === undefined ? {} : { tools: [...new Set(tools)] }),
          ...(worlds === undefined ? {} : { worlds: [...new Set(worlds)] }),
          from,
        },
      },
      expiresAt: until,
    });
    const [value] = toDelegation(record, [person, delegate]);
    if (value === undefined) throw new Error('The delegation names people that are not there.');
    return { value, record: { decision: 'delegation created', why: `${describe(value)}${how}` } };

    /** Otherwise, a stolen token could name someone else to sign what needs this person's passkey. */
    async function confirmWithPasskey(): Promise<string> {
      const passkeys = await tx.credentials(person?.id ?? '', 'passkey');
      if (!passkeys.some(({ data }) => data.passkey?.trusted === true)) return '';
      if (confirmation === undefined)
        throw new HttpProblem(409, problemTexts.unconfirmedDelegation, { field: 'confirmation' });
      const action = { kind: 'change-world', method: 'POST', path: '/me/delegations', body: asked } as const;
      const { credential } = await confirmIn(tx, by, { action, confirmation, origin });
      return `, confirmed with "${credential.name}" (${credential.id})`;
    }
  });
}

/** Ends a delegation, for the person who gave it or an admin. */
export async function endDelegation(store: Store, personId: string, id: string, by: By): Promise<void> {
  refuseLimited(by.access);
  refuseOthers(by.access, personId);
  await changePeople(store, by.signer, async (tx) => {
    const found = (await tx.credentials(personId, 'delegation')).find((record) => record.id === id);
    const [shown] = found === undefined ? [] : toDelegation(found, await tx.people());
    if (shown === undefined || !(await tx.endCredential(id)))
      throw new CountersignError('not-found', `There is no delegation "${id}".`);
    return { value: undefined, record: { decision: 'delegation ended', why: describe(shown) } };
  });
}

/** Those that have not expired. */
async function currentDelegations(reader: Pick<StoreReader, 'delegations' | 'now'>): Promise<CredentialRecord[]> {
  const now = reader.now();
  return (await reader.delegations()).filter(({ expiresAt }) => expiresAt !== null && expiresAt > now);
}

function readPeriod(given: Pick<NewDelegation, 'from' | 'until'>, now: number): { from: number; until: number } {
  const from = Math.max(now, given.from === undefined ? now : Date.parse(given.from));
  const until = Date.parse(given.until);
  if (until <= now) throw invalid('until', 'must be in the future');
  if (until <= from) throw invalid('until', 'must be after from');
  if (until > now + LONGEST_DAYS * DAY_MS) throw invalid('until', `can be at most ${LONGEST_DAYS} days from now`);
  return { from, until };
}

/** Both people must be able to sign calls where the delegation applies. */
async function checkWorlds(
  reader: Pick<StoreReader, 'worlds'>,
  by: By,
  delegate: PersonRecord,
  worlds: readonly string[] | undefined,
): Promise<void> {
  if (worlds === undefined) {
    if (actionsAnywhere({ person: delegate }).has('sign')) return;
    throw invalid('to', problemTexts.cantSign(delegate.name));
  }
  const known = new Set((await reader.worlds()).map(({ id }) => id));
  for (const world of worlds) {
    if (!known.has(world) || !actionsOf(by.access, world).has('sign'))
      throw invalid('worlds', `there is no world "${world}" in which you can sign calls`);
    if (!effectiveActions(delegate, world, undefined).has('sign'))
      throw invalid('to', problemTexts.cantSign(delegate.name, world));
  }
}

function toDelegation(record: CredentialRecord, people: readonly PersonRecord[]): Delegation[] {
  const { id, personId, data, expiresAt } = record;
  const by = people.find((person) => person.id === personId);
  const to = people.find((person) => person.id === data.delegation?.to);
  if (data.delegation === undefined || by === undefined || to === undefined || expiresAt === null) return [];
  const { tools, worlds, from } = data.delegation;
  return [
    {
      id,
      by: { id: by.id, name: by.name },
      to: { id: to.id, name: to.name },
      ...(tools === undefined ? {} : { tools: [...tools] }),
      ...(worlds === undefined ? {} : { worlds: [...worlds] }),
      from: new Date(from).toISOString(),
      until: new Date(expiresAt).toISOString(),
    },
  ];
}

/** `ada to bob (0a1b…), tools: pay, worlds: all, from … until …`. */
function describe({ id, by, to, tools, worlds, from, until }: Delegation): string {
  const limits = `tools: ${tools?.join(', ') ?? 'all'}, worlds: ${worlds?.join(', ') ?? 'all'}`;
  return `${by.id} to ${to.id} (${id}), ${limits}, from ${from} until ${until}`;
}

function invalid(field: string, detail: string): CountersignError {
  return new CountersignError('invalid', `${field}: ${detail}`, { field });
}
