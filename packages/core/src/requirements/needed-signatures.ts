import {
  effectiveActions,
  type NeededSignatures,
  type Principal,
  readWhos,
  type Signature,
  type Who,
} from '@countersign/protocol';
import { maskSecrets } from '../masking/index.js';
import type {
  ApprovalRecord,
  CallRecord,
  CredentialRecord,
  GroupRecord,
  PersonRecord,
  SigningRecord,
  StoreReader,
  TurnRecord,
} from '../ports/index.js';
import type { SigningRule } from '../policy/index.js';
import { isConfirmed, isSignedOut } from './is-confirmed.js';
import {
  type ActiveDelegation,
  countOnce,
  type Delegate,
  delegationsIn,
  findDelegates,
  isCovered,
} from './delegations.js';
import type { Reviewer } from './reviewers.js';

/** Someone who may sign calls in a world. */
interface SigningPerson {
  readonly id: string;
  readonly name: string;
  /** Their OIDC provider hasn't confirmed them within the hour. They can sign, but what they signed earlier doesn't count. */
  readonly unconfirmed?: true;
}

/** The people who may sign calls in a world now: active, and with a role that may sign there. `groups` may also name other people. */
export interface SigningPeople {
  readonly people: readonly SigningPerson[];
  readonly groups: readonly { readonly name: string; readonly people: readonly string[] }[];
  /** Trusted passkeys. */
  readonly passkeys: readonly { readonly id: string; readonly personId: string }[];
  /** Those that apply now. */
  readonly delegations: readonly ActiveDelegation[];
}

/** Everyone in the store, with all groups, passkeys and delegations. */
export interface AllPeople {
  readonly people: readonly PersonRecord[];
  readonly groups: readonly GroupRecord[];
  readonly passkeys: readonly Pick<CredentialRecord, 'id' | 'personId' | 'data'>[];
  readonly delegations: readonly Pick<CredentialRecord, 'personId' | 'data' | 'expiresAt'>[];
}

/** The people who may sign calls in a world, from everyone in the store. */
export function signersIn(
  worldId: string,
  { people, groups, passkeys, delegations }: AllPeople,
  now: number,
): SigningPeople {
  const able = people.filter(
    (person) => !isSignedOut(person) && effectiveActions(person, worldId, undefined).has('sign'),
  );
  return {
    people: able.map((person) => (isConfirmed(person, now) ? person : { ...person, unconfirmed: true })),
    groups: groups.map(({ name, ...group }) => ({ name, people: membersOf(group, people) })),
    passkeys: passkeys.flatMap(({ id, personId, data }) => (data.passkey?.trusted === true ? [{ id, personId }] : [])),
    delegations: delegationsIn(worldId, delegations, now),
  };
}

/** What it takes to know who may sign. */
export type PeopleReader = Pick<StoreReader, 'now' | 'people' | 'groups' | 'passkeys' | 'delegations'>;

export async function readAllPeople(reader: PeopleReader): Promise<AllPeople> {
  const passkeys = await reader.passkeys();
  return {
    people: await reader.people(),
    groups: await reader.groups(),
    passkeys: passkeys.map(({ credential }) => credential),
    delegations: await reader.delegations(),
  };
}

/** The ids of a group's people: those it lists, and those in its OIDC group. */
function membersOf(
  { people: listed, oidcGroup }: Pick<GroupRecord, 'people' | 'oidcGroup'>,
  allPeople: readonly PersonRecord[],
): string[] {
  return [...new Set([...listed, ...oidcMembersOf(oidcGroup, allPeople)])];
}

/** The ids of the people in an OIDC group, as of their last check. */
export function oidcMembersOf(oidcGroup: string | null, allPeople: readonly PersonRecord[]): string[] {
  const isMember = ({ oidc }: PersonRecord): boolean => oidcGroup !== null && oidc?.groups.includes(oidcGroup) === true;
  return allPeople.filter((person) => isMember(person) && !isSignedOut(person)).map(({ id }) => id);
}

/** The people that a rule names. */
interface NamedPeople {
  readonly people: readonly SigningPerson[];
  /** The group or person, as shown to people. Undefined if the rule names neither. */
  readonly label: string | undefined;
  readonly isPerson: boolean;
}

/** What one rule requires of a call, with the signatures that count now. */
export interface SigningState {
  readonly rule: SigningRule;
  /** Everyone whose own signature counts, whether or not they have signed. */
  readonly may: readonly SigningPerson[];
  /** Everyone whose signature counts only for one of the people that the rule names. */
  readonly delegates: readonly Delegate[];
  /** Those whose signature would count if they had a trusted passkey. */
  readonly lackPasskey: readonly SigningPerson[];
  readonly signed: readonly Signature[];
  /** How many signatures are missing. */
  readonly missing: number;
  readonly named: NamedPeople | undefined;
  /** The agent that the rule names, if it does. */
  readonly reviewer: Reviewer | undefined;
  readonly stuck: NeededSignatures['stuck'];
}

/** The input for judging signatures. All of it comes from the step that decides (SIGN1). */
export interface SigningInput {
  readonly rules: readonly SigningRule[];
  /** Everyone who signed exactly this call, oldest first. */
  readonly signed: readonly Signature[];
  /** Everyone who requested the call. Empty if unknown. */
  readonly requesters: readonly Who[];
  readonly people: SigningPeople;
  /** The tool of the call: a delegation can be for certain tools. */
  readonly toolName: string;
  /** The agents that the rules name. Without them, no agent's signature counts. */
  readonly reviewers?: readonly Reviewer[];
}

/**
 * Judges the signatures of a call against each rule. A person counts once for each rule, whatever the number of devices and delegates; shared
 * tokens never count, and an agent counts only for the rules that name it. A signature stops counting when its author can no longer sign.
 */
export function judgeSignatures(input: SigningInput): readonly SigningState[] {
  const { rules, signed, requesters, people, toolName, reviewers = [] } = input;
  return rules.map((rule): SigningState => {
    const { count, notRequester, passkey } = rule.by;
    const valid = passkey === true ? signed.filter((signature) => isByPasskey(signature, people)) : signed;
    const named = findNamed(rule, people);
    const isKnown = requesters.length > 0 && requesters.every(({ kind }) => kind === 'person');
    const isUnknown = notRequester === true && !isKnown;
    const isExcluded = (person: SigningPerson): boolean =>
      notRequester === true && requesters.some(({ id }) => id === person.id);
    const isAble = ({ id }: SigningPerson): boolean => passkey !== true || hasPasskey(id, people);
    const eligible = isUnknown ? [] : (named?.people ?? []).filter((person) => !isExcluded(person));
    const may = eligible.filter(isAble);
    const covering = findDelegates(eligible, { ...people, toolName }).filter((person) => !isExcluded(person));
    const delegates = covering.filter(isAble);
    const reviewer = reviewers.find(({ id }) => id === rule.by.agent);
    const reviewed = signed.find((who) => isReviewer(reviewer, who));
    const inOrder = [...countOnce(valid, may, delegates), ...(reviewed === undefined ? [] : [reviewed])];
    const missing = Math.max(0, count - inOrder.length);
    return {
      rule,
      may,
      delegates,
      lackPasskey: [...eligible, ...covering].filter((person) => !isAble(person)),
      signed: inOrder,
      missing,
      named,
      reviewer,
      stuck:
        rule.by.agent === undefined
          ? stuckBecause({
              isNamed: named !== undefined,
              isUnknown,
              isEnough:
                new Set([...may.map(({ id }) => id), ...delegates.map((delegate) => delegate.for.id)]).size >= count,
              lacksPasskeys: eligible.length >= count,
            })
          : reviewStuck(reviewer, missing),
    };
  });
}

/** Whether a signature was made with a passkey of its author that is still trusted. */
function isByPasskey({ kind, id: author, passkey }: Signature, { passkeys }: SigningPeople): boolean {
  return kind === 'person' && passkeys.some(({ id, personId }) => id === passkey && personId === author);
}

function hasPasskey(personId: string, { passkeys }: SigningPeople): boolean {
  return passkeys.some((passkey) => passkey.personId === personId);
}

/** Whether the call has every signature it needs. */
export function isSigned(states: readonly SigningState[]): boolean {
  return states.every(({ missing }) => missing === 0);
}

/** Whether a signature of this person or agent would count for a rule that isn't met yet. */
export function maySign(states: readonly SigningState[], who: Who): boolean {
  return states.some((state) => isWanted(state, who));
}

/** Whether a signature of this person would count only with a passkey, for a rule that isn't met yet. */
export function mustUsePasskey(states: readonly SigningState[], who: Who): boolean {
  return states.some((state) => state.rule.by.passkey === true && isWanted(state, who));
}

function isWanted(state: SigningState, who: Who): boolean {
  if (state.missing === 0 || hasSigned([state], who)) return false;
  if (who.kind !== 'person') return isReviewer(state.reviewer, who);
  return [...stillOwn(state), ...stillDelegates(state)].some(({ id }) => id === who.id);
}

/** Those whose own signature would still count. */
function stillOwn({ may, signed }: SigningState): readonly SigningPerson[] {
  return may.filter(({ id }) => !isCovered(signed, id));
}

/** Those whose signature for someone else would still count. */
function stillDelegates({ delegates, signed }: SigningState): readonly Delegate[] {
  return delegates.filter(
    ({ id, for: principal }) => !signed.some((who) => who.id === id) && !isCovered(signed, principal.id),
  );
}

/**
 * For whom this person signs, if a rule counts their signature only for someone else (SIGN4): the person for whom it counts under the most rules.
 */
export function principalOf(states: readonly SigningState[], who: Who): Principal | undefined {
  if (who.kind !== 'person') return undefined;
  const open = isSigned(states) ? states : states.filter((state) => isWanted(state, who));
  const choices = open.flatMap((state) =>
    (state.missing === 0 ? state.delegates : stillDelegates(state)).filter(({ id }) => id === who.id),
  );
  const times = (id: string): number => choices.filter((choice) => choice.for.id === id).length;
  const [best] = choices.map((choice) => choice.for).sort((one, other) => times(other.id) - times(one.id));
  return best;
}

/** Whether a signature of this person or agent counts for this rule. */
export function counts({ may, delegates, reviewer }: SigningState, who: Who): boolean {
  return who.kind === 'person' ? [...may, ...delegates].some(({ id }) => id === who.id) : isReviewer(reviewer, who);
}

/** Whether this signature is among those that count. */
export function hasSigned(states: readonly SigningState[], { kind, id }: Who): boolean {
  return states.some(({ signed }) => signed.some((who) => who.kind === kind && who.id === id));
}

function isReviewer(reviewer: Reviewer | undefined, { kind, id }: Who): boolean {
  return kind === 'agent' && reviewer?.id === id && reviewer.problem === undefined;
}

function reviewStuck(reviewer: Reviewer | undefined, missing: number): SigningState['stuck'] {
  if (missing === 0) return undefined;
  return reviewer === undefined
    ? 'agent-missing'
    : (reviewer.problem ?? (reviewer.isReviewing ? undefined : 'agent-undecided'));
}

/** People don't read more names on a card. */
const MAX_NAMES = 20;
/** With more people, a client doesn't know for sure whether its person can sign; the server decides anyway. */
const MAX_IDS = 100;

/** The ids of the people who signed a call so far, and of those for whom they signed. */
export function signersOf({ signing }: Pick<ApprovalRecord, 'signing'>): string[] {
  return (signing?.signed ?? []).flatMap(({ who, for: principal }) =>
    who.kind === 'person' ? [who.id, ...(principal === undefined ? [] : [principal.id])] : [],
  );
}

/** Everyone who signed a call so far, oldest first. `batch`: who signed the batch with this hash, instead of the call alone. */
export function signaturesOf({ signed }: SigningRecord, batch?: string): Signature[] {
  const counted = signed.filter((signature) => signature.batch === batch);
  return counted.map(({ who, via, passkey, for: principal }) => ({
    ...who,
    via,
    ...(passkey === undefined ? {} : { passkey }),
    ...(principal === undefined ? {} : { for: principal }),
  }));
}

/**
 * The signatures of a call as shown to people, with masked rules. Without `people`, only what the rules say: the step that asked didn't load
 * them.
 */
export function showNeeds(
  signing: SigningRecord,
  { people, ...about }: Omit<SigningInput, 'rules' | 'signed' | 'people'> & { people: SigningPeople | undefined },
): NeededSignatures[] {
  const { rules } = signing;
  const signed = signaturesOf(signing);
  if (people !== undefined) return judgeSignatures({ ...about, rules, signed, people }).map(showNeed);
  return rules.map(({ rule, by: { count, of, agent, notRequester, passkey } }) => ({
    rule: maskSecrets(rule),
    count,
    ...(of === undefined ? {} : { of, label: inWords(of) }),
    ...(agent === undefined ? {} : { agent }),
    ...(notRequester === true ? { notRequester } : {}),
    ...(passkey === true ? { passkey } : {}),
    signed,
    may: [],
  }));
}

export function showNeed(state: SigningState): NeededSignatures {
  const { rule, by } = state.rule;
  const { may, lackPasskey, signed, missing, named, reviewer, stuck } = state;
  const { count, of, agent, notRequester, passkey } = by;
  const covering = missing === 0 ? [] : stillDelegates(state);
  const open = new Map([...(missing === 0 ? [] : stillOwn(state)), ...covering].map(({ id, name }) => [id, name]));
  return {
    rule: maskSecrets(rule),
    count,
    ...(of === undefined ? {} : { of }),
    ...(agent === undefined ? {} : { agent }),
    ...labelOf(reviewer?.problem === 'agent-missing' ? undefined : (reviewer?.name ?? named?.label)),
    ...(named?.isPerson === true ? { person: true } : {}),
    ...(notRequester === true ? { notRequester } : {}),
    ...(passkey === true ? { passkey } : {}),
    signed: [...signed],
    may: [...open.values()].slice(0, MAX_NAMES),
    mayIds: [...open.keys()].slice(0, MAX_IDS),
    ...(covering.length === 0
      ? {}
      : { delegates: covering.slice(0, MAX_IDS).map(({ id, for: principal }) => ({ id, for: principal })) }),
    ...(missing === 0 || lackPasskey.length === 0
      ? {}
      : { lackPasskeyIds: [...new Set(lackPasskey.map(({ id }) => id))].slice(0, MAX_IDS) }),
    eligible: may.length,
    ...(stuck === undefined ? {} : { stuck }),
  };
}

function labelOf(label: string | undefined): { label?: string } {
  return label === undefined ? {} : { label };
}

/** Whose message led to a turn, or who started the run. Undefined if unknown. */
export function requesterOf(turn: Pick<TurnRecord, 'requester'> | undefined): Who | undefined {
  return requestersOf(turn)[0];
}

/**
 * Everyone who requested the calls of a turn: several people for a run that was sent back. Empty if unknown. With a call, also everyone who
 * edited it: its arguments are theirs.
 */
export function requestersOf(
  turn: Pick<TurnRecord, 'requester'> | undefined,
  call?: Pick<CallRecord, 'editedBy'>,
): readonly Who[] {
  const requesters = turn === undefined || turn.requester === null ? [] : readWhos(turn.requester);
  if (requesters.length === 0 || call === undefined || call.editedBy === null) return requesters;
  return [...requesters, ...readWhos(call.editedBy)];
}

/**
 * Explains why nobody can satisfy a rule with the current people and groups, for any requester. Undefined if someone can. Delegations end, so they
 * don't matter here.
 */
export function findUnsatisfiable(rule: SigningRule, people: SigningPeople): string | undefined {
  const { count, of, notRequester, passkey } = rule.by;
  const named = findNamed(rule, people);
  if (named === undefined) {
    const isGroup = people.groups.some(({ name }) => name === of);
    return isGroup
      ? `@${of} is both a group and a person. Rename the group`
      : `there is no group @${of}, and no person with this id who may sign calls in this world`;
  }
  const available = named.people.length;
  if (of !== undefined && available < count) {
    return `it needs ${count === 1 ? 'a signature' : `${count} signatures`}, but ${countPeople(available)} in @${of} may sign calls in this world`;
  }
  const able = named.people.filter(({ id }) => hasPasskey(id, people)).length;
  if (passkey === true && able < count) {
    const among = of === undefined ? 'who may sign calls in this world' : `in @${of}`;
    return `it needs ${count === 1 ? 'a signature' : `${count} signatures`} with a passkey, but ${countPeople(able)} ${among} ${able > 1 ? 'have' : 'has'} a trusted one. Add passkeys under Account in the web app, and confirm them, first`;
  }
  // With a name, the requester may be someone else. Without one, the only person who may sign is also the one who asks.
  if (of === undefined && notRequester === true && available < 2) {
    return `it excludes the requester, but ${countPeople(available)} may sign calls in this world`;
  }
  return undefined;
}

function countPeople(count: number): string {
  return count === 0 ? 'nobody' : count === 1 ? 'only one person' : `only ${count} people`;
}

/** Whether a rule names an existing group or person, or nobody in particular. */
export function isNamed(rule: SigningRule, people: Pick<SigningPeople, 'people' | 'groups'>): boolean {
  return findNamed(rule, people) !== undefined;
}

function stuckBecause(state: {
  isNamed: boolean;
  isUnknown: boolean;
  isEnough: boolean;
  lacksPasskeys: boolean;
}): SigningState['stuck'] {
  if (!state.isNamed) return 'unknown-name';
  if (state.isUnknown) return 'unknown-requester';
  if (state.isEnough) return undefined;
  return state.lacksPasskeys ? 'no-passkey' : 'too-few';
}

/** The people that a rule names: a group, or one person by id. Undefined if there is neither, or both: the rule then means nobody. */
function findNamed(
  { by: { of } }: SigningRule,
  { people, groups }: Pick<SigningPeople, 'people' | 'groups'>,
): NamedPeople | undefined {
  if (of === undefined) return { people, label: undefined, isPerson: false };
  const group = groups.find(({ name }) => name === of);
  const person = people.find(({ id }) => id === of);
  if (group === undefined) {
    return person === undefined ? undefined : { people: [person], label: person.name, isPerson: true };
  }
  if (person !== undefined) return undefined;
  const members = new Set(group.people);
  return { people: people.filter(({ id }) => members.has(id)), label: inWords(group.name), isPerson: false };
}

/** `release-team` → "Release team". */
function inWords(group: string): string {
  const words = group.replaceAll(/[-_.]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
