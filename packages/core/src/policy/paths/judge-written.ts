import type { EffectPaths } from '../../ports/tools/tool.js';
import type { Policy, RuleGroup, RuleIndex } from '../compile-policy.js';
import { effectRules, firstMatching, groupsFor } from '../rules/find-rules.js';
import { type Policies, weigh } from '../judge.js';
import { toMatchable } from '../matchable-call.js';
import type { PolicyCall } from '../types.js';
import { findPathRule } from './protect-paths.js';

const WRITING = ['write_file', 'edit_file'] as const;
/** Judging more would block the process. They count as unknown. */
const MAX_PATHS = 5000;

/**
 * How rules judge what undoing a call writes: each path as one that the call's tool or a tool for files writes, and all of them as an effect. Rules
 * about a tool as a whole deny nothing, because none runs.
 */
export function judgeWritten(
  given: Policies,
  call: Omit<PolicyCall, 'effect'>,
  effect: EffectPaths | undefined,
): 'denied' | 'needs-signers' | undefined {
  const tools = [...new Set([call.tool, ...WRITING])];
  const paths = effect === undefined ? [] : [...effect.added, ...effect.changed, ...effect.removed];
  if (effect === undefined || paths.length > MAX_PATHS)
    return tools.some((tool) => findPathRule(given, tool) !== undefined) ? 'denied' : undefined;
  if (deniesEffect(given, { ...call, effect })) return 'denied';
  const policies = { ...given, world: aboutArguments(given.world), agent: aboutArguments(given.agent) };
  const admin = given.admin && aboutArguments(given.admin);
  let needsSigners = false;
  for (const tool of tools) {
    for (const path of paths) {
      const value = `${call.place.workingDirectory}/${path}`;
      const written: PolicyCall = {
        tool,
        place: call.place,
        arguments: { ok: true, value: { path: value } },
        subjects: [{ kind: 'path', path: value, argument: 'path' }],
      };
      const { deny, signing } = weigh(admin === undefined ? policies : { ...policies, admin }, written);
      if (deny !== undefined) return 'denied';
      needsSigners ||= signing.length > 0;
    }
  }
  return needsSigners ? 'needs-signers' : undefined;
}

function deniesEffect({ admin, world, agent }: Policies, call: PolicyCall): boolean {
  const prepared = toMatchable(call);
  const { effect, bases } = prepared;
  const rules = effectRules([admin?.deny, world.deny, agent.deny].flatMap((index) => groupsFor(index, call.tool)));
  const isRelevant = (group: RuleGroup): boolean => firstMatching([group], prepared) !== undefined;
  return rules.some(({ matches, group }) => effect !== undefined && matches(effect, bases) && isRelevant(group));
}

/** The policy without deny rules about a tool as a whole. */
function aboutArguments(policy: Policy): Policy {
  const { byTool, byGlob } = policy.deny;
  const strip = (group: RuleGroup): RuleGroup => ({ ...group, any: [] });
  const deny: RuleIndex = {
    ...policy.deny,
    byTool: new Map([...byTool].map(([tool, group]) => [tool, strip(group)])),
    byGlob: new Map([...byGlob].map(([text, { glob, group }]) => [text, { glob, group: strip(group) }])),
  };
  return { ...policy, deny };
}
