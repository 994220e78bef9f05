import { findNamed } from '../arguments/named-index.js';
import type { CompiledRule, EffectRule, NamedRule, RuleIndex, RuleGroup } from '../compile-policy.js';
import { matchesGlob } from '../patterns/glob.js';
import type { MatchableCall, MatchableSubject } from '../matchable-call.js';

export function groupsFor(index: RuleIndex | undefined, tool: string): readonly RuleGroup[] {
  const found: RuleGroup[] = [];
  if (index === undefined) return found;
  const exact = index.byTool.get(tool);
  if (exact) found.push(exact);
  for (const { glob, group } of index.byGlob.values()) if (matchesGlob(glob, tool)) found.push(group);
  return found;
}

/** The groups, with the rules about effects that match the effect of this call. None does if it is unknown. */
export function withEffects(groups: readonly RuleGroup[], { effect, bases }: MatchableCall): readonly RuleGroup[] {
  const rules = effectRules(groups);
  if (effect === undefined || rules.length === 0) return groups;
  return [...groups, ...rules.flatMap(({ matches, group }) => (matches(effect, bases) ? [group] : []))];
}

/** The rules about effects, whether or not they match. */
export function effectRules(groups: readonly RuleGroup[]): readonly EffectRule[] {
  return groups.flatMap(({ effects }) => effects);
}

/** Finds an allow rule about effects that would cover this call with another effect. */
export function findMissedByEffect(groups: readonly RuleGroup[], call: MatchableCall): string | undefined {
  const rules = effectRules(groups);
  if (rules.length === 0) return undefined;
  const others = call.onlyByEffect ? [] : groups;
  return rules.find(({ group }) => covering([...others, group], call) !== undefined)?.text;
}

/** Deny or ask rules that match at least one subject, each text once. */
export function matching(from: readonly RuleGroup[], call: MatchableCall): readonly CompiledRule[] {
  const found = new Map<string, CompiledRule>();
  findMatching(from, call, (rule) => {
    if (!found.has(rule.text)) found.set(rule.text, rule);
    return false;
  });
  return [...found.values()];
}

export function firstMatching(from: readonly RuleGroup[], call: MatchableCall): string | undefined {
  return findMatching(from, call, () => true)?.text;
}

function findMatching(
  from: readonly RuleGroup[],
  call: MatchableCall,
  enough: (rule: CompiledRule) => boolean,
): CompiledRule | undefined {
  for (const group of from) for (const rule of group.any) if (enough(rule)) return rule;
  for (const group of from) {
    for (const rule of findNamed(group.byNamed, call, 'guard')) {
      if (rule.named.misses(call) === undefined && enough(rule)) return rule;
    }
  }
  for (const subject of call.subjects) {
    const rule = findCandidate(from, subject, (one) => one.matcher.matches(subject, call.bases) && enough(one));
    if (rule !== undefined) return rule;
  }
  return undefined;
}

/** An allow rule must cover every subject. Returns the rule that covers the first one. */
export function covering(from: readonly RuleGroup[], call: MatchableCall): string | undefined {
  if (from.length === 0) return undefined;
  const named = namedRules(from, call);
  // Without subjects, only a rule for any arguments, or one whose conditions are met, covers the call.
  if (call.subjects.every(isInner)) {
    return (from.find((group) => group.any.length > 0)?.any[0] ?? named[0])?.text;
  }
  let first: string | undefined;
  for (const subject of call.subjects) {
    if (isInner(subject)) continue;
    const rule = coveringOne(from, subject, call, named);
    if (rule === undefined) return undefined;
    first ??= rule.text;
  }
  return first;
}

export function coveringOne(
  from: readonly RuleGroup[],
  subject: MatchableSubject,
  call: MatchableCall,
  named = namedRules(from, call),
): CompiledRule | undefined {
  // In another folder, the same words may run another script or change another project (EXT1.20).
  if (subject.kind === 'words' && subject.exact && !call.inWorldFolder) return undefined;
  for (const { any } of from) if (any[0]?.matcher.matches(subject, call.bases) === true) return any[0];
  const byName = named.find((rule) => rule.named.covers(subject, call));
  if (byName !== undefined) return byName;
  return findCandidate(from, subject, (rule) => rule.matcher.matches(subject, call.bases));
}

/** Rules whose conditions on named arguments are all met. */
function namedRules(from: readonly RuleGroup[], call: MatchableCall): readonly NamedRule[] {
  return from.flatMap((group) =>
    [...findNamed(group.byNamed, call, 'allow')].filter((rule) => rule.named.misses(call) === undefined),
  );
}

/** Whether the subject runs inside another one and is allowed together with it. */
export function isInner(subject: MatchableSubject): boolean {
  return subject.kind === 'words' && subject.inner;
}

/** Finds an allow rule that would cover a subject if its star matched any words, and explains why it doesn't. */
export function findMissedByStar(
  from: readonly RuleGroup[],
  call: MatchableCall,
): { readonly rule: string; readonly why: 'star' | 'no-sandbox' } | undefined {
  for (const subject of call.subjects) {
    // Only commands have words that a star can't match, and most calls aren't commands.
    if (subject.kind !== 'words' || subject.inner || (subject.spell.length === 0 && !subject.exact)) continue;
    if (coveringOne(from, subject, call) !== undefined) continue;
    const test: Test = (rule) => rule.matcher.missedBy?.(subject) !== undefined;
    const rule = from.flatMap(({ any }) => any).find(test) ?? findCandidate(from, subject, test);
    const why = rule?.matcher.missedBy?.(subject);
    if (rule !== undefined && why !== undefined) return { rule: rule.text, why };
  }
  return undefined;
}

type Test = (rule: CompiledRule) => boolean;

/** Tests only candidate rules, found through the index. */
function findCandidate(from: readonly RuleGroup[], subject: MatchableSubject, test: Test): CompiledRule | undefined {
  for (const group of from) {
    const found = findInGroup(group, subject, test);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findInGroup(group: RuleGroup, subject: MatchableSubject, test: Test): CompiledRule | undefined {
  switch (subject.kind) {
    case 'words':
      return (
        (group.byWord.size > 0 ? lookUp(group.byWord, subject.distinct(), test) : undefined) ??
        (group.bySegment.size > 0 ? lookUp(group.bySegment, subject.segments(), test) : undefined) ??
        group.withoutKey.find(test)
      );
    case 'path':
      return (
        group.byWordAndPath.find(test) ??
        (group.bySegment.size > 0 ? lookUp(group.bySegment, subject.segments(), test) : undefined) ??
        group.withoutKey.find(test)
      );
    case 'host':
    case 'dynamic':
      return group.patterned.find(test);
  }
}

function lookUp(
  index: ReadonlyMap<string, CompiledRule[]>,
  keys: ReadonlySet<string>,
  test: Test,
): CompiledRule | undefined {
  for (const key of keys) {
    const found = index.get(key)?.find(test);
    if (found !== undefined) return found;
  }
  return undefined;
}
