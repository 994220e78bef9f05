import { covering, firstMatching, matching, groupsFor } from './find-rules.js';
import { type CompiledRule, compilePolicy, NO_RULES, type Policy } from './compile-policy.js';
import { type PreparedCall, prepareOnce } from './prepare-call.js';
import type { PolicyCall, SigningRule } from './types.js';

/**
 * The policies that apply to a call. The agent's rules can only be stricter, so its allow rules are ignored. The administrator's rules come
 * from a file that no world can change, and override the others.
 */
export interface Policies {
  readonly admin?: Policy;
  readonly world: Policy;
  readonly agent: Policy;
}

export interface Judgement {
  readonly outcome: 'deny' | 'ask' | 'allow' | 'none';
  readonly rule?: string;
}

/** All matching rules for a call. The gate needs every ask rule, not only the first. */
export interface Weighing {
  readonly deny?: string;
  /** An administrator's ask rule. Grants don't override it. */
  readonly adminAsk?: string;
  readonly asks: readonly string[];
  /** The ask rules that say who must sign: those that match, and those that a dynamic part of the call might match. All must be met. */
  readonly signing: readonly SigningRule[];
  readonly allow?: string;
  /** Why every call needs approval, if a policy is invalid. */
  readonly closed?: string;
  /** A deny or ask rule that a dynamic part of the call might match at run time. */
  readonly unclear?: string;
  /** The prepared call, for matching grants without preparing it again. */
  readonly prepared: PreparedCall;
}

/** Deny overrides ask, and ask overrides allow, regardless of order (A19). */
export function judge(policies: Policies, call: PolicyCall): Judgement {
  const { deny, adminAsk, asks, allow, closed } = weigh(policies, call);
  if (deny !== undefined) return { outcome: 'deny', rule: deny };
  const ask = adminAsk ?? asks[0];
  if (ask !== undefined) return { outcome: 'ask', rule: ask };
  if (closed !== undefined) return { outcome: 'ask' };
  return allow === undefined ? { outcome: 'none' } : { outcome: 'allow', rule: allow };
}

/** Whether any of these rules matches the call. */
export function ruleMatches(rules: readonly string[], call: PolicyCall): boolean {
  const compiled = compilePolicy(rules);
  return compiled.ok && judge({ world: compiled.policy, agent: NO_RULES }, call).outcome !== 'none';
}

export function weigh({ admin, world, agent }: Policies, call: PolicyCall): Weighing {
  const prepared = prepareOnce(call);
  const adminDenying = groupsFor(admin?.deny, call.tool);
  const adminAsking = groupsFor(admin?.ask, call.tool);
  const adminAllowing = groupsFor(admin?.allow, call.tool);
  const adminDeny = firstMatching(adminDenying, prepared);
  if (adminDeny !== undefined) return { deny: adminDeny, asks: [], signing: [], prepared };
  const adminAsks = matching(adminAsking, prepared);
  const adminAsk = adminAsks[0]?.text;
  const adminAllow = adminAsk === undefined ? covering(adminAllowing, prepared) : undefined;
  if (adminAllow !== undefined) return { allow: adminAllow, asks: [], signing: [], prepared };

  const denying = [...groupsFor(world.deny, call.tool), ...groupsFor(agent.deny, call.tool)];
  const asking = [...groupsFor(world.ask, call.tool), ...groupsFor(agent.ask, call.tool)];
  const deny = firstMatching(denying, prepared);
  const allow = covering([...adminAllowing, ...groupsFor(world.allow, call.tool)], prepared);
  const closed = world.closed ?? agent.closed;
  const guards = [...adminDenying, ...adminAsking, ...denying, ...asking];
  const isUnclear = call.subjects.some((subject) => subject.kind === 'dynamic' && subject.told !== true);
  const unclear = isUnclear
    ? guards.flatMap((group) => group.patterned[0] ?? group.named[0] ?? []).at(0)?.text
    : undefined;
  const asks = matching(asking, prepared);
  // `$(echo git) push` may be a push, so the people who must sign a push must sign it too.
  const maybe = isUnclear
    ? [...adminAsking, ...asking].flatMap(({ patterned, named }) => [...patterned, ...named])
    : [];
  return {
    asks: asks.map(({ text }) => text),
    signing: signingRules([...adminAsks, ...asks, ...maybe]),
    ...(deny === undefined ? {} : { deny }),
    ...(adminAsk === undefined ? {} : { adminAsk }),
    ...(allow === undefined ? {} : { allow }),
    ...(closed === undefined ? {} : { closed }),
    ...(unclear === undefined ? {} : { unclear }),
    prepared,
  };
}

const NOBODY: readonly SigningRule[] = [];

/** Each rule once. Most policies have none. */
function signingRules(rules: readonly CompiledRule[]): readonly SigningRule[] {
  if (rules.every(({ by }) => by === undefined)) return NOBODY;
  const found = new Map(rules.flatMap(({ text, by }) => (by === undefined ? [] : [[text, by] as const])));
  return [...found].map(([rule, by]) => ({ rule, by }));
}
