import { z } from 'zod';
import { field, text } from '../input/field.js';
import { type Principal, principalSchema } from '../people/delegations.js';
import { whoSchema } from '../people/who.js';

/**
 * Why nobody can complete a signature: the rule names nobody (`unknown-name`), too few people may sign (`too-few`) or have a trusted passkey (`no-passkey`), or the rule excludes the
 * requester and the turn doesn't say who that is (`unknown-requester`). The `agent-` codes say why the agent that a rule names doesn't decide; a
 * person still can.
 */
const stuckSchema = z.enum([
  'unknown-name',
  'too-few',
  'no-passkey',
  'unknown-requester',
  'agent-missing',
  'agent-inactive',
  'agent-related',
  'agent-undecided',
]);

/** Someone who signed, and from where: a device or client. */
const signatureSchema = whoSchema.extend({
  via: field(z.string().min(1).max(200).exactOptional(), 'Device or client that they signed from.'),
  passkey: text('The id of the passkey that it was made with.').exactOptional(),
  for: field(principalSchema.exactOptional(), 'The person for whom it was signed: they delegated their right to sign.'),
});
/** Someone who signed, and from where. */
export type Signature = z.infer<typeof signatureSchema>;

/** The signatures that one rule requires for a call, and those it has (SIGN1). */
export const neededSignaturesSchema = z.object({
  rule: text('The rule that requires them.'),
  count: field(z.number().int().min(1), 'How many different people must sign.'),
  of: text(
    'Group or person in the rule, without the @. Absent if anyone who may sign calls in the world can.',
  ).exactOptional(),
  label: text('The group or person as shown to people.').exactOptional(),
  person: field(z.literal(true).exactOptional(), 'Set if the rule names one person, not a group.'),
  agent: text(
    'Id of the agent that the rule names to review the call. A person who may sign can decide instead.',
  ).exactOptional(),
  notRequester: field(z.literal(true).exactOptional(), "Set if the person whose message led to the turn can't sign."),
  passkey: field(z.literal(true).exactOptional(), 'Set if only signatures with a trusted passkey count.'),
  signed: field(
    z.array(signatureSchema),
    'People whose signatures count, oldest first, and the agent that the rule names.',
  ),
  may: field(z.array(z.string()), 'Names of people who can sign now, at most 20.'),
  mayIds: field(
    z.array(z.string()).exactOptional(),
    'The ids of the people who can sign now, at most 100. Absent if unknown.',
  ),
  delegates: field(
    z
      .array(
        z.object({
          id: text('Id of the person who can sign.'),
          for: field(principalSchema.clone(), 'The person for whom it was signed: they delegated their right to sign.'),
        }),
      )
      .exactOptional(),
    'People who can sign only for someone else, who delegated their right to sign to them.',
  ),
  lackPasskeyIds: field(
    z.array(z.string()).exactOptional(),
    'Ids of the people who could sign if they had a trusted passkey.',
  ),
  eligible: field(z.number().int().min(0).exactOptional(), 'How many people can sign or have signed.'),
  stuck: field(
    stuckSchema.exactOptional(),
    'Set if the people who may sign are too few. The call waits until that changes, someone denies it or it expires.',
  ),
});
/** The signatures that one rule requires for a call, and those it has. */
export type NeededSignatures = z.infer<typeof neededSignaturesSchema>;

/** One line: "Needs 2 of Finance · signed by Ada, 1 more". */
export function describeNeed(need: NeededSignatures): string {
  return describeNeedBy(need, (signature) => {
    const { kind, name } = signature;
    return kind === 'agent' ? `${name} (agent)` : `${name}${forText(signature)}`;
  });
}

/** `, for Ada Lovelace`, if the signer used someone else's right to sign. */
export function forText({ for: principal }: { readonly for?: Principal | undefined }): string {
  return principal === undefined ? '' : `, for ${principal.name}`;
}

/** Like `describeNeed`, with another way to show who signed. */
export function describeNeedBy(need: NeededSignatures, nameOf: (signature: Signature) => string): string {
  const { count, signed } = need;
  const missing = Math.max(0, count - signed.length);
  const names = listNames(signed.map(nameOf));
  const parts = [`Needs ${wanted(need)}`];
  if (signed.length > 0) parts.push(`signed by ${names}${missing > 0 ? `, ${missing} more` : ''}`);
  const stuck = describeStuck(need);
  if (stuck !== undefined) parts.push(stuck);
  return parts.join(' · ');
}

/** Who may sign, for a person who may not: "Ada Lovelace or Bob". Empty if nobody may. */
export function describeSigners(needs: readonly NeededSignatures[]): string {
  return listNames([...new Set(needs.flatMap(({ may }) => may))], 'or');
}

function wanted(need: NeededSignatures): string {
  if (need.passkey !== true) return wantedPeople(need);
  return need.of === undefined && need.notRequester !== true
    ? 'a signature with a passkey'
    : `${wantedPeople(need)}, with a passkey`;
}

function wantedPeople({ count, of, label, person, agent, notRequester }: NeededSignatures): string {
  if (agent !== undefined) return `${label ?? `@${agent}`} (agent) or a person who may sign`;
  if (of === undefined) return 'someone other than the requester';
  const name = label ?? `@${of}`;
  const whom = person === true || label === undefined ? name : `${count} of ${name}`;
  return `${whom}${notRequester === true ? ', not the requester' : ''}`;
}

/** Why nobody can complete a signature, or why a person must. Undefined if neither. */
export function describeStuck(need: NeededSignatures): string | undefined {
  return need.stuck === undefined ? undefined : stuckText(need.stuck, need);
}

function stuckText(stuck: NonNullable<NeededSignatures['stuck']>, { eligible = 0, label }: NeededSignatures): string {
  const agent = label ?? 'the agent';
  switch (stuck) {
    case 'unknown-name':
      return 'nobody can sign: there is no such group or person';
    case 'too-few':
      return `stuck: ${countOf(eligible)} may sign`;
    case 'no-passkey':
      return `stuck: ${countOf(eligible)} with a trusted passkey may sign`;
    case 'unknown-requester':
      return "nobody can sign: the message came through a shared token, so the requester isn't known";
    case 'agent-missing':
      return 'a person must decide: there is no such agent';
    case 'agent-inactive':
      return `a person must decide: ${agent} is inactive`;
    case 'agent-related':
      return `a person must decide: ${agent} can't review its own calls, those of agents that it created, or any if an agent created it`;
    case 'agent-undecided':
      return `a person must decide: ${agent} ended its turn without a decision`;
  }
}

function countOf(people: number): string {
  if (people === 0) return 'nobody';
  return people === 1 ? 'only one person' : `only ${people} people`;
}

/** "Ada, Bob and Carol". */
export function listNames(names: readonly string[], word: 'and' | 'or' = 'and'): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;
}
