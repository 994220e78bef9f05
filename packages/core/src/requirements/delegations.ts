import type { Principal, Signature } from '@countersign/protocol';
import { agentMayAskFor } from '../policy/index.js';
import type { CredentialRecord } from '../ports/index.js';

/** A person. What an unconfirmed person signed earlier, or someone signed for them, doesn't count. */
interface Named {
  readonly id: string;
  readonly name: string;
  readonly unconfirmed?: true;
}

/** A delegation that applies now (SIGN4): `to` may sign for `from`. */
export interface ActiveDelegation {
  readonly from: string;
  readonly to: string;
  /** Names of tools, which can contain `*`. */
  readonly tools: readonly string[];
}

/** Someone who can sign only with the right of someone else. */
export interface Delegate extends Named {
  readonly for: Principal;
}

/** The delegations that apply in a world at this time. */
export function delegationsIn(
  worldId: string,
  stored: readonly Pick<CredentialRecord, 'personId' | 'data' | 'expiresAt'>[],
  now: number,
): ActiveDelegation[] {
  return stored.flatMap(({ personId, data: { delegation }, expiresAt }) => {
    if (delegation === undefined || delegation.from > now || expiresAt === null || expiresAt <= now) return [];
    const { to, tools = ['*'], worlds } = delegation;
    return worlds === undefined || worlds.includes(worldId) ? [{ from: personId, to, tools }] : [];
  });
}

/**
 * Those who can sign a call for one of these people. They may sign calls in the world, and can't sign this one themselves. What was delegated to
 * someone isn't delegated on: only the people that a rule names have a right to pass on.
 */
export function findDelegates(
  named: readonly Named[],
  {
    people,
    delegations,
    toolName,
  }: { people: readonly Named[]; delegations: readonly ActiveDelegation[]; toolName: string },
): Delegate[] {
  return delegations.flatMap(({ from, to, tools }) => {
    const principal = named.find(({ id }) => id === from);
    const delegate = people.find(({ id }) => id === to);
    if (principal === undefined || delegate === undefined || named.some(({ id }) => id === to)) return [];
    if (!agentMayAskFor(tools, toolName)) return [];
    const isUnconfirmed = principal.unconfirmed === true || delegate.unconfirmed === true;
    const unconfirmed = isUnconfirmed ? { unconfirmed: true as const } : {};
    return [{ id: to, name: delegate.name, for: { id: from, name: principal.name }, ...unconfirmed }];
  });
}

/** Whether this person's right to sign was used, by themselves or by a delegate. */
export function isCovered(signed: readonly Signature[], personId: string): boolean {
  return signed.some((signature) => signature.kind === 'person' && (signature.for?.id ?? signature.id) === personId);
}

/**
 * The signatures that count, in their order: no signer twice, and nobody's right to sign twice. A person's own signature takes precedence over one
 * that was given for them.
 */
export function countOnce(
  signed: readonly Signature[],
  may: readonly Named[],
  delegates: readonly Delegate[],
): Signature[] {
  const counted = new Map<string, Signature>();
  for (const { for: _, ...signature } of signed) {
    const author = signature.kind === 'person' ? may.find(({ id }) => id === signature.id) : undefined;
    if (author !== undefined && author.unconfirmed !== true) counted.set(author.id, signature);
  }
  for (const signature of signed) {
    const { kind, id, for: principal } = signature;
    if (kind !== 'person' || principal === undefined || counted.has(id)) continue;
    const delegate = delegates.find((each) => each.id === id && each.for.id === principal.id);
    if (delegate === undefined || delegate.unconfirmed === true) continue;
    if (!isCovered([...counted.values()], principal.id)) counted.set(id, signature);
  }
  const order = signed.map(({ kind, id }) => (kind === 'person' ? id : undefined));
  return [...counted.values()].sort((one, other) => order.indexOf(one.id) - order.indexOf(other.id));
}
