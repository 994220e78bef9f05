import {
  covering,
  effectRules,
  findMissedByEffect,
  firstMatching,
  matching,
  groupsFor,
  withEffects,
} from './rules/find-rules.js';
import {
  type CompiledRule,
  compilePolicy,
  type EffectRule,
  NO_RULES,
  type Policy,
  type RuleGroup,
} from './compile-policy.js';
import { type MatchableCall, matchable } from './matchable-call.js';
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
  /** A deny or ask rule about effects that might match, because the effect is unknown. */
  readonly unknownEffect?: string;
  /** Set if rules about effects were considered. The call may then do nothing but this effect. */
  readonly byEffect?: true;
  /** The prepared call, for matching grants without preparing it again. */
  readonly prepared: MatchableCall;
}

/** Deny overrides ask, and ask overrides allow, regardless of order (RULE1). */
export function judge(policies: Policies, call: PolicyCall): Judgement {
  const { deny, adminAsk, asks, allow, closed, unknownEffect } = weigh(policies, call);
  if (deny !== undefined) return { outcome: 'deny', rule: deny };
  const ask = adminAsk ?? asks[0] ?? unknownEffect;
  if (ask !== undefined) return { outcome: 'ask', rule: ask };
  if (closed !== undefined) return { outcome: 'ask' };
  return allow === undefined ? { outcome: 'none' } : { outcome: 'allow', rule: allow };
}

/** Whether any of these rules matches the call. */
export function ruleMatches(rules: readonly string[], call: PolicyCall): boolean {
  const compiled = compilePolicy(rules);
  return compiled.ok && judge({ world: compiled.policy, agent: NO_RULES }, call).outcome !== 'none';
}

/**
 * The rules for a call, and the deny and ask rules for the built-in tool that it stands for. An external program chooses the folder that it works in,
 * so `./` is the world's folder, and in deny and ask rules also the program's.
 */
export function weigh(policies: Policies, call: PolicyCall): Weighing {
  const both = call.standsFor === undefined ? [call] : [call, call.standsFor];
  const { programDirectory: workingDirectory, home } = call.place;
  const inProgram =
    workingDirectory === undefined ? [] : both.map((one) => ({ ...one, place: { workingDirectory, home } }));
  const others = [...both.slice(1), ...inProgram].filter(({ tool }) => stopsSome(policies, tool));
  const { admin, world, agent } = policies;
  const strict = { ...(admin === undefined ? {} : { admin: withoutAllow(admin) }), world: withoutAllow(world), agent };
  return others.reduce<Weighing>((own, other) => addStrict(own, weighOne(strict, other)), weighOne(policies, call));
}

/** Whether a deny or ask rule may be about this tool. If none is, its call need not be prepared, which takes milliseconds for a long command. */
function stopsSome({ admin, world, agent }: Policies, tool: string): boolean {
  return [admin, world, agent].some(
    (policy) =>
      policy?.closed !== undefined ||
      groupsFor(policy?.deny, tool).length > 0 ||
      groupsFor(policy?.ask, tool).length > 0,
  );
}

/** Adds what stops a call, and nothing that allows it. */
function addStrict(own: Weighing, other: Weighing): Weighing {
  const deny = own.deny ?? other.deny;
  const adminAsk = own.adminAsk ?? other.adminAsk;
  const closed = own.closed ?? other.closed;
  const unclear = own.unclear ?? other.unclear;
  const unknownEffect = own.unknownEffect ?? other.unknownEffect;
  const signing = new Map([...own.signing, ...other.signing].map((rule) => [rule.rule, rule]));
  return {
    asks: [...new Set([...own.asks, ...other.asks])],
    signing: [...signing.values()],
    ...(deny === undefined ? {} : { deny }),
    ...(adminAsk === undefined ? {} : { adminAsk }),
    ...(own.allow === undefined ? {} : { allow: own.allow }),
    ...(closed === undefined ? {} : { closed }),
    ...(unclear === undefined ? {} : { unclear }),
    ...(unknownEffect === undefined ? {} : { unknownEffect }),
    ...(own.byEffect === true ? { byEffect: true } : {}),
    prepared: own.prepared,
  };
}

function withoutAllow(policy: Policy): Policy {
  return { ...policy, allow: NO_RULES.allow };
}

function weighOne({ admin, world, agent }: Policies, call: PolicyCall): Weighing {
  const prepared = matchable(call);
  const isUnclear = call.subjects.some((subject) => subject.kind === 'dynamic' && subject.told !== true);
  const from = (policy: Policy | undefined, verb: 'deny' | 'ask'): readonly RuleGroup[] =>
    withEffects(groupsFor(policy?.[verb], call.tool), prepared);
  const adminDenying = from(admin, 'deny');
  const adminAsking = from(admin, 'ask');
  const adminAllowing = groupsFor(admin?.allow, call.tool);
  const adminDeny = firstMatching(adminDenying, prepared);
  if (adminDeny !== undefined) return { deny: adminDeny, asks: [], signing: [], prepared };
  const adminAsks = matching(adminAsking, prepared);
  const adminAsk = adminAsks[0]?.text;
  const adminEffects = relevantEffects([...adminDenying, ...adminAsking], prepared, isUnclear);
  const isAdminSure = adminAsk === undefined && (adminEffects.length === 0 || prepared.effect !== undefined);
  const adminAllow = isAdminSure ? coveringWith(adminAllowing, prepared, isUnclear) : undefined;
  if (adminAllow !== undefined) {
    const isByEffect = adminAllow.byEffect || adminEffects.length > 0;
    return { allow: adminAllow.rule, asks: [], signing: [], ...(isByEffect ? { byEffect: true } : {}), prepared };
  }

  const denying = [...from(world, 'deny'), ...from(agent, 'deny')];
  const asking = [...from(world, 'ask'), ...from(agent, 'ask')];
  const deny = firstMatching(denying, prepared);
  const closed = world.closed ?? agent.closed;
  const guards = [...adminDenying, ...adminAsking, ...denying, ...asking];
  const unclear = isUnclear
    ? guards.flatMap((group) => group.patterned[0] ?? group.named[0] ?? []).at(0)?.text
    : undefined;
  const allow = coveringWith([...adminAllowing, ...groupsFor(world.allow, call.tool)], prepared, unclear !== undefined);
  const effects = relevantEffects(guards, prepared, isUnclear);
  const unknownEffect = prepared.effect === undefined ? effects[0]?.text : undefined;
  const isByEffect = prepared.effect !== undefined && (effects.length > 0 || allow?.byEffect === true);
  const asks = matching(asking, prepared);
  // `$(echo git) push` may be a push, so the people who must sign a push must sign it too.
  const maybe = isUnclear
    ? [...adminAsking, ...asking].flatMap(({ patterned, named }) => [...patterned, ...named])
    : [];
  const unknown = unknownEffect === undefined ? [] : effects.flatMap(({ group }) => rulesIn(group));
  return {
    asks: asks.map(({ text }) => text),
    signing: signingRules([...adminAsks, ...asks, ...maybe, ...unknown]),
    ...(deny === undefined ? {} : { deny }),
    ...(adminAsk === undefined ? {} : { adminAsk }),
    ...(allow === undefined ? {} : { allow: allow.rule }),
    ...(closed === undefined ? {} : { closed }),
    ...(unclear === undefined ? {} : { unclear }),
    ...(unknownEffect === undefined ? {} : { unknownEffect }),
    ...(isByEffect ? { byEffect: true } : {}),
    prepared,
  };
}

/** Whether an allow rule about effects might cover this call, whose effect is still unknown. */
export function mayBeAllowedByEffect({ admin, world }: Policies, call: PolicyCall): boolean {
  const groups = [...groupsFor(admin?.allow, call.tool), ...groupsFor(world.allow, call.tool)];
  return findMissedByEffect(groups, matchable(call)) !== undefined;
}

function rulesIn({ any, patterned, named }: RuleGroup): readonly CompiledRule[] {
  return [...any, ...patterned, ...named];
}

/** The rules about effects that match the rest of the call, or that a dynamic part of it might match. */
function relevantEffects(
  groups: readonly RuleGroup[],
  prepared: MatchableCall,
  isUnclear: boolean,
): readonly EffectRule[] {
  return effectRules(groups).filter(({ group }) => isUnclear || firstMatching([group], prepared) !== undefined);
}

/**
 * The allow rule that covers a call. Rules about effects come last, because the call must be rehearsed for them. They cover no call with a dynamic
 * part that might match a deny or ask rule.
 */
function coveringWith(
  groups: readonly RuleGroup[],
  prepared: MatchableCall,
  isUnclear: boolean,
): { readonly rule: string; readonly byEffect: boolean } | undefined {
  const plain = prepared.onlyByEffect ? undefined : covering(groups, prepared);
  if (plain !== undefined) return { rule: plain, byEffect: false };
  const all = isUnclear ? groups : withEffects(groups, prepared);
  const able = prepared.onlyByEffect ? all.slice(groups.length) : all;
  const rule = all === groups ? undefined : covering(able, prepared);
  return rule === undefined ? undefined : { rule, byEffect: true };
}

const NOBODY: readonly SigningRule[] = [];

/** Each rule once. Most policies have none. */
function signingRules(rules: readonly CompiledRule[]): readonly SigningRule[] {
  if (rules.every(({ by }) => by === undefined)) return NOBODY;
  const found = new Map(rules.flatMap(({ text, by }) => (by === undefined ? [] : [[text, by] as const])));
  return [...found].map(([rule, by]) => ({ rule, by }));
}
