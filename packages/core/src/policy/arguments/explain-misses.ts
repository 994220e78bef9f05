import type { RuleMiss } from '@countersign/protocol';
import type { CompiledRule, EffectRule, Policy, RuleIndex, RuleGroup } from '../compile-policy.js';
import { effectRules, isInner, groupsFor } from '../rules/find-rules.js';
import { type Policies, ruleMatches } from '../judge.js';
import { type MatchableCall, toMatchable } from '../matchable-call.js';
import type { PolicyCall } from '../types.js';
import type { Miss } from './miss.js';

const MAX = 20;
/** Longer than any screen shows: truncating before masking could cut a secret in half and leave it unmasked. */
const LONGEST_VALUE = 4096;

/** Lists the rules for this tool that don't apply to this call, and why. Values are not masked; the caller masks them. */
export function explainMisses({ admin, world, agent }: Policies, call: PolicyCall): readonly RuleMiss[] {
  const prepared = toMatchable(call);
  const from = (policy: Policy | undefined, verb: 'allow' | 'ask' | 'deny'): readonly RuleGroup[] =>
    groupsFor(policy?.[verb] satisfies RuleIndex | undefined, call.tool);
  const guards = [...from(admin, 'deny'), ...from(world, 'deny'), ...from(agent, 'deny')];
  guards.push(...from(admin, 'ask'), ...from(world, 'ask'), ...from(agent, 'ask'));
  const allows = [...from(admin, 'allow'), ...from(world, 'allow')];
  const misses = new Map<string, RuleMiss | 'applies'>();
  for (const rule of guards.flatMap(rulesOf)) note(misses, rule, whyGuardMisses(rule, prepared), prepared);
  for (const rule of allows.flatMap(rulesOf)) note(misses, rule, whyAllowMisses(rule, prepared), prepared);
  for (const rule of effectRules(guards)) noteEffect(misses, rule, prepared, whyGuardMisses);
  for (const rule of effectRules(allows)) noteEffect(misses, rule, prepared, whyAllowMisses);
  const ended = [...(admin?.ended ?? []), ...world.ended].filter((rule) => ruleMatches([rule], call));
  for (const rule of ended) if (!misses.has(rule)) misses.set(rule, { rule, code: 'ended' });
  return [...misses.values()].filter((miss) => miss !== 'applies').slice(0, MAX);
}

function rulesOf({ any, named, patterned }: RuleGroup): readonly CompiledRule[] {
  return [...any, ...named, ...patterned];
}

/** An ambiguous rule applies if one of its readings does. If none does, the named reading's miss is kept, because it is more useful. */
function note(
  misses: Map<string, RuleMiss | 'applies'>,
  { text }: CompiledRule,
  miss: Miss | undefined,
  call: MatchableCall,
): void {
  if (miss === undefined) misses.set(text, 'applies');
  else if (!misses.has(text)) misses.set(text, { rule: text, ...miss, ...valueOf(miss, call) });
}

/** For a rule about effects: a miss of its other part first, then of its effects. */
function noteEffect(
  misses: Map<string, RuleMiss | 'applies'>,
  { text, matches, group }: EffectRule,
  call: MatchableCall,
  whyMisses: (rule: CompiledRule, call: MatchableCall) => Miss | undefined,
): void {
  const { effect, bases } = call;
  const other = rulesOf(group).map((rule) => whyMisses(rule, call));
  const miss = other.includes(undefined) ? undefined : other[0];
  if (miss !== undefined) misses.set(text, { rule: text, ...miss, ...valueOf(miss, call) });
  else if (effect === undefined) misses.set(text, { rule: text, code: 'effect-unknown' });
  else misses.set(text, matches(effect, bases) ? 'applies' : { rule: text, code: 'effect' });
}

function whyGuardMisses({ named, matcher }: CompiledRule, call: MatchableCall): Miss | undefined {
  if (named !== undefined) return named.misses(call);
  if (matcher.any || call.subjects.some((subject) => matcher.matches(subject, call.bases))) return undefined;
  return { code: 'pattern' };
}

/** A rule that covers part of the call is treated as applied. */
function whyAllowMisses({ named, matcher }: CompiledRule, call: MatchableCall): Miss | undefined {
  const miss = named?.misses(call);
  if (miss !== undefined) return miss;
  const outer = call.subjects.filter((subject) => !isInner(subject));
  const covers = outer.some((subject) => named?.covers(subject, call) ?? matcher.matches(subject, call.bases));
  if (covers || (outer.length === 0 && (matcher.any || named !== undefined))) return undefined;
  if (outer.some(({ kind }) => kind === 'dynamic')) return { code: 'dynamic' };
  if (named !== undefined) return { code: 'not-spelt' };
  return { code: outer.map((subject) => matcher.missedBy?.(subject)).find((why) => why !== undefined) ?? 'pattern' };
}

function valueOf({ code, argument }: Miss, call: MatchableCall): { value?: string } {
  if (argument === undefined || (code !== 'different' && code !== 'not-a-number')) return {};
  const text = call.arguments?.all(argument)[0]?.text;
  if (text === undefined) return {};
  return { value: text.slice(0, LONGEST_VALUE) };
}
