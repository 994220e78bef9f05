import { covering, firstMatching, matching, shelves } from './find-rules.js';
import { compilePolicy, NO_RULES, type Policy } from './compile-policy.js';
import { type PreparedCall, prepareOnce } from './prepare-call.js';
import type { PolicyCall } from './types.js';

/**
 * Whose rules count. The agent's can only be stricter: its allow rules are not looked at. The administrator's come from a
 * file that no world can change, and win over both.
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

/** Everything the rules say of one call, for the gate, which must know every ask rule and not only the first. */
export interface Weighing {
  readonly deny?: string;
  /** An administrator's ask rule. No grant answers it. */
  readonly adminAsk?: string;
  readonly asks: readonly string[];
  readonly allow?: string;
  /** Why everything is asked, if a policy could not be read. */
  readonly closed?: string;
  /** A deny or ask rule that a dynamic part of the call might break; nobody can tell before it runs. */
  readonly unclear?: string;
  /** The call with what rules need to know of it, for whoever matches more of them. */
  readonly prepared: PreparedCall;
}

/** deny beats ask beats allow, whatever the order (A19). */
export function judge(policies: Policies, call: PolicyCall): Judgement {
  const { deny, adminAsk, asks, allow, closed } = weigh(policies, call);
  if (deny !== undefined) return { outcome: 'deny', rule: deny };
  const ask = adminAsk ?? asks[0];
  if (ask !== undefined) return { outcome: 'ask', rule: ask };
  if (closed !== undefined) return { outcome: 'ask' };
  return allow === undefined ? { outcome: 'none' } : { outcome: 'allow', rule: allow };
}

/** Whether these rules, and no others, say anything of this call. */
export function ruleMatches(rules: readonly string[], call: PolicyCall): boolean {
  const compiled = compilePolicy(rules);
  return compiled.ok && judge({ world: compiled.policy, agent: NO_RULES }, call).outcome !== 'none';
}

export function weigh({ admin, world, agent }: Policies, call: PolicyCall): Weighing {
  const prepared = prepareOnce(call);
  const adminDenying = shelves(admin?.deny, call.tool);
  const adminAsking = shelves(admin?.ask, call.tool);
  const adminAllowing = shelves(admin?.allow, call.tool);
  const adminDeny = firstMatching(adminDenying, prepared);
  if (adminDeny !== undefined) return { deny: adminDeny, asks: [], prepared };
  const adminAsk = firstMatching(adminAsking, prepared);
  const adminAllow = adminAsk === undefined ? covering(adminAllowing, prepared) : undefined;
  if (adminAllow !== undefined) return { allow: adminAllow, asks: [], prepared };

  const denying = [...shelves(world.deny, call.tool), ...shelves(agent.deny, call.tool)];
  const asking = [...shelves(world.ask, call.tool), ...shelves(agent.ask, call.tool)];
  const deny = firstMatching(denying, prepared);
  const allow = covering([...adminAllowing, ...shelves(world.allow, call.tool)], prepared);
  const closed = world.closed ?? agent.closed;
  const guards = [...adminDenying, ...adminAsking, ...denying, ...asking];
  const unclear = call.subjects.some((subject) => subject.kind === 'dynamic' && subject.told !== true)
    ? guards.flatMap((shelf) => shelf.patterned[0] ?? shelf.named[0] ?? []).at(0)?.text
    : undefined;
  return {
    asks: matching(asking, prepared),
    ...(deny === undefined ? {} : { deny }),
    ...(adminAsk === undefined ? {} : { adminAsk }),
    ...(allow === undefined ? {} : { allow }),
    ...(closed === undefined ? {} : { closed }),
    ...(unclear === undefined ? {} : { unclear }),
    prepared,
  };
}
