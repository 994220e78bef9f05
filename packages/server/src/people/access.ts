import type { ExternalPlace, ExternalTokenData, PersonRecord } from '@countersign/core/ports';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { effectiveActions, tokenScopeSchema, type TokenScope } from '@countersign/protocol';

/** What a credential may do, apart from who signs with it. */
export interface Access {
  /** Identifies the credential, for limits. */
  holder: string;
  /** `session` and `token` are rows of the store. `server-token`: the token of the home or the environment. `program`: the program decides. */
  kind: 'session' | 'token' | 'server-token' | 'program';
  /** Absent if the credential belongs to nobody in particular. It then has an owner's rights. */
  person?: PersonRecord;
  /** The only agent whose calls it may propose (EXT1): in the world of the request, once that is checked. */
  external?: ExternalPlace & Pick<ExternalTokenData, 'also'>;
  /** If absent, everything the person may do. */
  scopes?: readonly TokenScope[];
  /** The scopes are those of an invitation (WHO5.1) or of a link from another device (WHO2), not of a token. */
  limitedBy?: 'invitation' | 'link';
}

const EVERYTHING: ReadonlySet<TokenScope> = new Set(tokenScopeSchema.options);

type Rights = Pick<Access, 'person' | 'scopes'>;

/** What a credential may do in a world, or on the server if `worldId` is undefined. */
export function actionsOf({ person, scopes }: Rights, worldId?: string): ReadonlySet<TokenScope> {
  return person === undefined ? EVERYTHING : effectiveActions(person, worldId, scopes);
}

/** What a credential may do anywhere. */
export function actionsAnywhere(access: Rights): ReadonlySet<TokenScope> {
  const worlds = Object.keys(access.person?.worldRoles ?? {});
  return new Set([undefined, ...worlds].flatMap((worldId) => [...actionsOf(access, worldId)]));
}

/**
 * Refuses a token without `admin`, and a session opened with one, to manage sessions and tokens: a leaked token must not create credentials
 * that outlive it, or sign its person out.
 */
export function refuseLimited(access: Access): void {
  if (access.scopes !== undefined && !actionsAnywhere(access).has('admin')) throw limitedProblem(access);
}

/** Says why a credential may do less than its person, and how to get the rest. */
export function limitedProblem({ limitedBy }: Access): HttpProblem {
  return new HttpProblem(
    403,
    limitedBy === 'invitation' ? problemTexts.invitedSession : problemTexts.limitedCredential,
  );
}

/** Only the person and admins may see and change a person's sessions and tokens. */
export function refuseOthers(access: Access, personId: string): void {
  if (access.person?.id === personId || actionsOf(access).has('admin')) return;
  throw new HttpProblem(403, problemTexts.notYours);
}

/** Whether a credential has the rights of an owner. */
export function isOwner(access: Access): boolean {
  const isOne = access.person === undefined || access.person.role === 'owner';
  return isOne && actionsOf(access).has('admin');
}
