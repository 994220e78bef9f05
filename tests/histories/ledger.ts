import { actorOf, PEOPLE, rightsOf, WORLDS, type Credential, type Right, type Roles, type World } from './cast.js';
import { NO_RULES, type ProposedCall, type Rules } from './rules.js';
import type { Run } from './tools.js';

/** A call that somebody proposed. */
export interface Proposal extends ProposedCall {
  readonly n: number;
  /** The person who asked for it. Undefined: nobody is known. */
  readonly requester: string | undefined;
  readonly by: Credential;
  /** Its chat. An approval can be for all calls of a tool in one. */
  readonly place: string;
  /** Set if its path leads out of the world's folder. */
  readonly isOutside?: true;
  /** Only for calls that a program outside runs. */
  readonly claim?: string;
  /** Its id at the server, once known. */
  id?: string;
  /** How often a program may have run it. */
  fetched: number;
  isAllowed: boolean;
  /** Set if the process died before it told whether the call is allowed. */
  isUnsure?: boolean;
  isReported: boolean;
}

/** `unheard`: the process died, so nobody knows. */
type Fate = 'sent' | 'accepted' | 'refused' | 'unheard';

interface Signature {
  readonly n: number;
  readonly approvalId: string;
  readonly actor: string | undefined;
  readonly decision: 'approve' | 'deny';
  /** Whether the person could sign at that time. */
  readonly isAble: boolean;
  readonly isForChat: boolean;
  fate: Fate;
  isLogged: boolean;
}

/** What decides in a world whether a call may run. */
export interface Policy {
  readonly rules: Rules;
  readonly isAuto: boolean;
}

export interface Ran {
  readonly n: number;
  readonly run: Run | undefined;
  /** Several while one is being changed. */
  readonly policies: readonly Policy[];
}

/** What a history did so far, and what may follow from it. It never asks the server. */
export class Ledger {
  readonly proposals = new Map<number, Proposal>();
  readonly signatures: Signature[] = [];
  readonly ran: Ran[] = [];
  readonly roles = new Map<string, Roles>(Object.entries(PEOPLE));
  readonly disabled = new Set<string>();
  readonly revoked = new Set<Credential>();
  readonly policies = new Map<World, readonly Policy[]>();
  /** Calls that ran according to the log. A program may hear of it later, if a process died. */
  readonly loggedRuns = new Set<number>();
  /** Requests that were refused, as the log of the server describes them, and who sent them. */
  readonly refusals = new Map<string, string>();
  readonly violations: string[] = [];

  /** Whether this credential may do something now. */
  may(credential: Credential, right: Right, world: World, now: number): boolean {
    const { person, scopes, external, expiresAt = Infinity } = credential;
    if (this.revoked.has(credential) || this.disabled.has(person) || now >= expiresAt) return false;
    if (external !== undefined)
      return right === 'propose' && external.world === world && this.personMay(person, 'propose', world);
    return this.personMay(person, right, world) && (scopes?.includes(right) ?? true);
  }

  personMay(person: string, right: Right, world: World): boolean {
    if (this.disabled.has(person)) return false;
    // The tokens of external agents that name nobody belong to the owner.
    if (person === OWNER) return true;
    return rightsOf(this.roles.get(person) ?? {}, world).has(right);
  }

  policiesOf(world: World): readonly Policy[] {
    return this.policies.get(world) ?? [{ rules: NO_RULES, isAuto: false }];
  }

  /** While `change` is under way, both policies may apply. It resolves to whether it was changed; undefined: nobody knows. */
  async changePolicy(world: World, wanted: Partial<Policy>, change: () => Promise<boolean | undefined>): Promise<void> {
    const before = this.policiesOf(world);
    const after = before.map((policy) => ({ ...policy, ...wanted }));
    this.policies.set(world, [...before, ...after]);
    const isChanged = await change();
    if (isChanged !== undefined) this.policies.set(world, isChanged ? after : before);
  }

  propose(proposal: Omit<Proposal, 'fetched' | 'isAllowed' | 'isReported'>): Proposal {
    const kept = { ...proposal, fetched: 0, isAllowed: false, isReported: false };
    this.proposals.set(proposal.n, kept);
    return kept;
  }

  sign(n: number, approvalId: string, by: Credential, decision: 'approve' | 'deny', isForChat = false): Signature {
    const actor = actorOf(by);
    const world = this.proposals.get(n)?.world;
    const isAble = actor !== undefined && world !== undefined && this.personMay(actor, 'sign', world);
    const signature: Signature = { n, approvalId, actor, decision, isAble, isForChat, fate: 'sent', isLogged: false };
    this.signatures.push(signature);
    return signature;
  }

  /** A tool of the server starts, or a program outside is allowed to run a call. */
  start(n: number, world: string, run: Run | undefined): void {
    const proposal = this.proposals.get(n);
    if (proposal === undefined) return this.violate(`${world}-${n} ran, and nobody proposed it`);
    if (proposal.world !== world) this.violate(`${n} was proposed in ${proposal.world} and ran in ${world}`);
    // A call that only reads may run again after a crash (TURN4).
    if (proposal.tool !== 'read_file' && this.ran.some((other) => other.n === n)) this.violate(`${n} ran twice`);
    this.ran.push({ n, run, policies: this.policiesOf(proposal.world) });
  }

  /** After each step, when every answer is known. */
  checkRuns(from: number): void {
    for (const { isAllowed, isReported, fetched, ...proposal } of this.proposals.values())
      if (!isAllowed && (isReported || fetched > 0)) this.violate(`${proposal.n} was used before it was allowed`);
    for (const { n, policies, run } of this.ran.slice(from)) {
      const proposal = this.proposals.get(n);
      if (proposal === undefined) continue;
      const problems = policies.map((policy) => this.problemWith(proposal, policy));
      if (!problems.includes(undefined)) this.violate(`${describe(proposal)} ran ${problems.join(', or ')}`);
      const mayFail = proposal.isOutside === true || proposal.tool === 'read_file';
      if (run?.result !== undefined && this.isForeign(run.result, proposal.world))
        this.violate(`${describe(proposal)} returned ${run.result}`);
      if (run?.outcome === 'failed' && !mayFail)
        this.violate(`${describe(proposal)} was allowed to run and failed: ${run.result}`);
    }
  }

  /** Whether somebody approved a call of this tool for the whole chat. */
  private isGranted({ world, tool, place }: Proposal): boolean {
    return this.signatures.some(({ n, isForChat, isAble, fate }) => {
      const signed = this.proposals.get(n);
      const isSame = signed?.world === world && signed.tool === tool && signed.place === place;
      return isSame && isForChat && isAble && fate !== 'refused';
    });
  }

  /** Whether a text contains something of another world. */
  private isForeign(text: string, world: World): boolean {
    return WORLDS.some((other) => other !== world && new RegExp(`\\b${other}-\\d`).test(text));
  }

  /** Whether rules say who must sign a call, or deny it, so that nobody may undo it alone (CHANGE10.6, CHANGE10.7). */
  isProtected(call: ProposedCall, policies: readonly Policy[]): boolean {
    const needs = policies.map(({ rules, isAuto }) => rules.need(call, isAuto));
    return needs.every((need) => need === 'denied' || need.of !== undefined || need.notRequester === true);
  }

  private problemWith(proposal: Proposal, { rules, isAuto }: Policy): string | undefined {
    const need = rules.need(proposal, isAuto);
    if (need === 'denied') return 'although a rule denies it';
    const { count, of, notRequester } = need;
    const own = this.signatures.filter(({ n, fate }) => n === proposal.n && fate !== 'refused');
    if (own.some(({ decision, fate }) => decision === 'deny' && fate === 'accepted')) return 'after it was denied';
    if (count === 0) return undefined;
    if (notRequester === true && proposal.requester === undefined) return 'although nobody knows who requested it';
    if (of === undefined && notRequester !== true && this.isGranted(proposal)) return undefined;
    const isNamed = of !== undefined || notRequester === true;
    const counting = own.filter(({ actor, decision, isAble }) => {
      if (decision !== 'approve' || actor === undefined || !isAble) return false;
      if (notRequester === true && actor === proposal.requester) return false;
      // Under a rule that says who signs, a signature counts only while its author may sign (SIGN1.4).
      return (of?.includes(actor) ?? true) && (!isNamed || this.personMay(actor, 'sign', proposal.world));
    });
    // Signatures are for one approval: if the call or its files change, it needs a new one.
    const most = Math.max(
      0,
      ...counting.map(
        ({ approvalId }) => new Set(counting.filter((s) => s.approvalId === approvalId).map((s) => s.actor)).size,
      ),
    );
    return most >= count ? undefined : `with ${most} of ${count} signatures (${rules.lines.join(', ')})`;
  }

  /** The roles that people had before, of those whose roles changed. */
  changedRoles(): [string, Roles][] {
    return Object.entries(PEOPLE).filter(([person, roles]) => this.roles.get(person) !== roles);
  }

  violate(text: string): void {
    this.violations.push(text);
  }
}

export const OWNER = 'owner';

export function describe({ n, world, tool, path, requester = 'nobody' }: Proposal): string {
  return `${tool}${path === undefined ? '' : ` ${path}`} ${world}-${n} of ${requester}`;
}

/** The number of a call, from any text that contains its arguments. */
export function numberIn(text: string): number | undefined {
  const [, mark, limit] = /\b(?:harbour|dock)-(\d+)\b|"limit":(\d+)/.exec(text) ?? [];
  return mark === undefined && limit === undefined ? undefined : Number(mark ?? limit);
}
