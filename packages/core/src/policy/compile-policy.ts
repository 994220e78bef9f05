import { isRule } from '@countersign/protocol';
import { allowMatcher } from './allow-matcher.js';
import { allowConditions } from './arguments/allow-conditions.js';
import { guardConditions } from './arguments/guard-conditions.js';
import type { NamedMatcher } from './arguments/miss.js';
import { addNamed, type NamedIndex } from './arguments/named-index.js';
import { type EffectMatcher, effectMatcher } from './effects/effect-matcher.js';
import { type Glob, toolGlob } from './patterns/glob.js';
import type { Matcher } from './matcher.js';
import { parseRule } from './rules/parse-rule.js';
import { guardMatcher } from './guard-matcher.js';
import type { Named, ParseFailure, PatternWord, Rule, SigningClause, SigningRule, Verb } from './types.js';

export interface CompiledRule {
  /** The original text, shown to people and stored in grants. */
  readonly text: string;
  readonly matcher: Matcher;
  /** Conditions on named arguments, if any. */
  readonly named?: NamedMatcher;
  /** The pattern, if it is a single word and not a condition; it may be a path. */
  readonly only?: PatternWord;
  /** Who must sign, if the rule says so. */
  readonly by?: SigningClause;
}

export type NamedRule = CompiledRule & { readonly named: NamedMatcher };

/** Rules with the same verb and the same tool name or glob. */
export interface RuleGroup {
  readonly any: CompiledRule[];
  readonly patterned: CompiledRule[];
  /** The rules of `patterned`, indexed by a word that a matching subject must contain. */
  readonly byWord: Map<string, CompiledRule[]>;
  /** Single-word rules from `byWord`, which may be the end of a path, such as `.env`. */
  readonly byWordAndPath: CompiledRule[];
  readonly bySegment: Map<string, CompiledRule[]>;
  readonly withoutKey: CompiledRule[];
  /** Rules with conditions on named arguments. A deny or ask rule that also parses as words appears in the other lists too. */
  readonly named: NamedRule[];
  /** The rules of `named`, indexed by their literal value. */
  readonly byNamed: NamedIndex<NamedRule>;
  /** Rules about effects. They are in none of the other lists, so only code that knows an effect finds them. */
  readonly effects: EffectRule[];
}

/** A rule about effects, and a group with only this rule, for the rest of it. */
export interface EffectRule {
  readonly text: string;
  readonly matches: EffectMatcher;
  readonly group: RuleGroup;
}

export interface RuleIndex {
  readonly byTool: Map<string, RuleGroup>;
  readonly byGlob: Map<string, { readonly glob: Glob; readonly group: RuleGroup }>;
}

/** A compiled policy. Compile once and reuse: compiling costs more than a thousand judgements. */
export interface Policy extends Readonly<Record<Verb, RuleIndex>> {
  /** Why every call needs approval under this policy. Absent if not every call does. */
  readonly closed?: string;
  /** The ask rules that say who must sign. Most policies have none. */
  readonly signing: SigningRule[];
  /** The rules that end, and when, in milliseconds. Most policies have none. */
  readonly ending: EndingRule[];
  /** The rules that have ended: they allow nothing. */
  readonly ended: readonly string[];
  /** What was compiled, with the rules that have ended. */
  readonly lines: readonly string[];
}

interface EndingRule {
  readonly text: string;
  readonly ends: number;
}

/**
 * Rejects the whole policy if one rule is invalid: skipping it could drop the only deny rule. Comments and blank lines are skipped.
 * A comment with a line break is rejected, because its second line would look like a rule.
 */
export function compilePolicy(
  rules: readonly string[],
): { ok: true; policy: Policy } | (ParseFailure & { readonly index: number }) {
  const policy = emptyPolicy(rules);
  for (const [index, text] of rules.entries()) {
    if (isForReaders(text)) continue;
    const parsed = parseRule(text);
    if (!parsed.ok) return { ...parsed, index };
    addRule(policy, text, parsed.rule);
  }
  return { ok: true, policy };
}

/**
 * Compiles stored rules. If an older version stored a rule that no longer parses, a deny or ask rule applies to every call to its tool, and an allow
 * rule is ignored. If even the verb or tool can't be parsed, every call needs approval.
 */
export function compileStored(rules: readonly string[]): Policy {
  const policy = emptyPolicy(rules);
  let closed: string | undefined;
  for (const [index, text] of rules.entries()) {
    if (isForReaders(text)) continue;
    const parsed = parseRule(text);
    if (parsed.ok) addRule(policy, text, parsed.rule);
    else if (parsed.head === undefined) closed ??= `line ${index + 1} is invalid: ${parsed.error}`;
    else if (parsed.head.verb !== 'allow') addRule(policy, text, parsed.head);
  }
  return closed === undefined ? policy : { ...policy, allow: emptyPolicy().allow, closed };
}

/** The policy at a certain time, without the rules that have ended. */
export function policyAt(policy: Policy, now: number): Policy {
  if (!policy.ending.some(({ ends }) => ends <= now)) return policy;
  const over = policy.ending.filter(({ ends }) => ends <= now).map(({ text }) => text);
  const ended = [...policy.ended, ...over];
  // An empty line in their place, so that errors keep their line numbers.
  const rest = policy.lines.map((line) => (ended.includes(line) ? '' : line));
  return { ...compileStored(rest), ended, lines: policy.lines };
}

function isForReaders(text: string): boolean {
  return !isRule(text) && !/[\n\r\u2028\u2029]/.test(text);
}

function addRule(policy: Policy, text: string, rule: Rule): void {
  const { verb, tool, effect, ends } = rule;
  const group = groupFor(policy[verb], tool);
  if (ends !== undefined) policy.ending.push({ text, ends });
  if (rule.by !== undefined) policy.signing.push({ rule: text, by: rule.by });
  if (effect === undefined) {
    fillGroup(group, text, rule);
    return;
  }
  const only = emptyGroup();
  fillGroup(only, text, rule);
  group.effects.push({ text, matches: effectMatcher(effect, verb), group: only });
}

function fillGroup(group: RuleGroup, text: string, rule: Rule): void {
  const { verb } = rule;
  const { words, named } = readings(rule);
  const signers = rule.by === undefined ? {} : { by: rule.by };
  if (named !== undefined) {
    const conditions = verb === 'allow' ? allowConditions(named) : guardConditions(named);
    const compiled = { text, matcher: NOTHING, named: conditions, ...signers };
    group.named.push(compiled);
    addNamed(group.byNamed, compiled);
  }
  if (words === 'none') return;
  const isAnyEffect = rule.effect !== undefined && words === undefined;
  const matcher = verb !== 'allow' ? guardMatcher(words) : isAnyEffect ? EVERYTHING : allowMatcher(words);
  const [only, second] = words ?? [];
  const isOnly = named === undefined && only !== undefined && second === undefined;
  addToGroup(group, { text, matcher, ...(isOnly ? { only } : {}), ...signers }, isOneWord(words ?? []));
}

const NOTHING: Matcher = { any: false, matches: () => false };
/** For an allow rule that is only about effects. The effect is known, so the text of the command doesn't matter. */
const EVERYTHING: Matcher = { any: true, matches: () => true };

/**
 * Picks the readings of an ambiguous rule. Deny and ask rules use both, so that a stored word pattern keeps matching the same calls. An allow
 * rule uses one: named conditions, or words if its conditions are separated by spaces.
 */
export function readings({ verb, words, named }: Rule): {
  readonly words: readonly PatternWord[] | undefined | 'none';
  readonly named: Named | undefined;
} {
  if (named === undefined) return { words, named };
  if (verb !== 'allow') return { words: words ?? 'none', named };
  return isByName(named) ? { words: 'none', named } : { words: words ?? 'none', named: undefined };
}

/** Whether an allow rule or grant is read as named conditions, and not as words. */
export function isByName({ separator, joined }: Named): boolean {
  return separator === 'comma' && !joined;
}

/** A policy without rules. */
export const NO_RULES: Policy = emptyPolicy();

/** A policy for rules that couldn't be loaded: every call needs approval, and grants don't apply. */
export function closedPolicy(reason: string): Policy {
  return { ...emptyPolicy(), closed: reason };
}

function emptyPolicy(lines: readonly string[] = []): Policy {
  const index = (): RuleIndex => ({ byTool: new Map(), byGlob: new Map() });
  return { allow: index(), ask: index(), deny: index(), signing: [], ending: [], ended: [], lines };
}

function groupFor(index: RuleIndex, tool: string): RuleGroup {
  const known = tool.includes('*') ? index.byGlob.get(tool)?.group : index.byTool.get(tool);
  if (known) return known;
  const group = emptyGroup();
  if (tool.includes('*')) index.byGlob.set(tool, { glob: toolGlob(tool), group });
  else index.byTool.set(tool, group);
  return group;
}

function emptyGroup(): RuleGroup {
  return {
    any: [],
    patterned: [],
    byWord: new Map(),
    byWordAndPath: [],
    bySegment: new Map(),
    withoutKey: [],
    named: [],
    byNamed: { byName: new Map(), withoutKey: [] },
    effects: [],
  };
}

function isOneWord(words: readonly PatternWord[]): boolean {
  return words.filter((word) => !word.every((piece) => 'stars' in piece) || word.length === 0).length <= 1;
}

function addToGroup(group: RuleGroup, rule: CompiledRule, oneWord: boolean): void {
  if (rule.matcher.any) {
    group.any.push(rule);
    return;
  }
  group.patterned.push(rule);
  const { key } = rule.matcher;
  if (key === undefined) {
    group.withoutKey.push(rule);
    return;
  }
  if (key.kind === 'word' && oneWord) group.byWordAndPath.push(rule);
  const index = key.kind === 'word' ? group.byWord : group.bySegment;
  const siblings = index.get(key.text);
  if (siblings) siblings.push(rule);
  else index.set(key.text, [rule]);
}
