import { isRule } from '@countersign/protocol';
import { allowMatcher } from './allow-matcher.js';
import { allowConditions } from './arguments/allow-conditions.js';
import { guardConditions } from './arguments/guard-conditions.js';
import type { NamedMatcher } from './arguments/miss.js';
import { addNamed, type NamedIndex } from './arguments/named-index.js';
import { type Glob, toolGlob } from './patterns/glob.js';
import type { Matcher } from './matcher.js';
import { parseRule } from './parse-rule.js';
import { guardMatcher } from './guard-matcher.js';
import type { Named, ParseFailure, PatternWord, Rule, Verb } from './types.js';

export interface CompiledRule {
  /** As it was written: what a person is shown, and what a grant remembers. */
  readonly text: string;
  readonly matcher: Matcher;
  /** Its conditions on named arguments, if it has any. */
  readonly named?: NamedMatcher;
  /** Its arguments, where they are one word and not a condition: then they may name a path. */
  readonly only?: PatternWord;
}

export type NamedRule = CompiledRule & { readonly named: NamedMatcher };

/** The rules of one verb for one tool name or glob. */
export interface Shelf {
  readonly any: CompiledRule[];
  readonly patterned: CompiledRule[];
  /** The patterned ones once more, by what a subject must contain for them to match. */
  readonly byWord: Map<string, CompiledRule[]>;
  /** Those of `byWord` that are one word, which may be the end of a path, like `.env`. */
  readonly byWordAndPath: CompiledRule[];
  readonly bySegment: Map<string, CompiledRule[]>;
  readonly withoutKey: CompiledRule[];
  /** Those with conditions on named arguments. A deny or ask rule that can be read as words too is also among the others. */
  readonly named: NamedRule[];
  /** The same by what they spell. */
  readonly byNamed: NamedIndex<NamedRule>;
}

export interface RuleIndex {
  readonly byTool: Map<string, Shelf>;
  readonly byGlob: Map<string, { readonly glob: Glob; readonly shelf: Shelf }>;
}

/** Rules made ready for judging. Build it once and keep it: compiling costs more than a thousand judgements. */
export interface Policy extends Readonly<Record<Verb, RuleIndex>> {
  /** Why this policy asks about everything, if it does. */
  readonly closed?: string;
}

/**
 * All or nothing: a policy with one rule left out could be without its only deny. Comments and blank lines are skipped; a comment
 * that contains a line break is refused, since a reader would take its second line for a rule.
 */
export function compilePolicy(
  rules: readonly string[],
): { ok: true; policy: Policy } | (ParseFailure & { readonly index: number }) {
  const policy = emptyPolicy();
  for (const [index, text] of rules.entries()) {
    if (isForReaders(text)) continue;
    const parsed = parseRule(text);
    if (!parsed.ok) return { ...parsed, index };
    addRule(policy, text, parsed.rule);
  }
  return { ok: true, policy };
}

/**
 * Stored rules, some of which an older version may have accepted and this one can't read. Such a rule denies or asks about every call of
 * its tool, or allows none. Where not even its verb and tool can be read, everything is asked and nothing allowed.
 */
export function compileStored(rules: readonly string[]): Policy {
  const policy = emptyPolicy();
  let closed: string | undefined;
  for (const [index, text] of rules.entries()) {
    if (isForReaders(text)) continue;
    const parsed = parseRule(text);
    if (parsed.ok) addRule(policy, text, parsed.rule);
    else if (parsed.head === undefined) closed ??= `line ${index + 1} can't be read: ${parsed.error}`;
    else if (parsed.head.verb !== 'allow') addRule(policy, text, parsed.head);
  }
  return closed === undefined ? policy : { ...policy, allow: emptyPolicy().allow, closed };
}

function isForReaders(text: string): boolean {
  return !isRule(text) && !/[\n\r\u2028\u2029]/.test(text);
}

function addRule(policy: Policy, text: string, rule: Rule): void {
  const { verb, tool } = rule;
  const shelf = shelfFor(policy[verb], tool);
  const { words, named } = readings(rule);
  if (named !== undefined) {
    const conditions = verb === 'allow' ? allowConditions(named) : guardConditions(named);
    const compiled = { text, matcher: NOTHING, named: conditions };
    shelf.named.push(compiled);
    addNamed(shelf.byNamed, compiled);
  }
  if (words === 'none') return;
  const matcher = verb === 'allow' ? allowMatcher(words) : guardMatcher(words);
  const [only, second] = words ?? [];
  const isOnly = named === undefined && only !== undefined && second === undefined;
  shelve(shelf, { text, matcher, ...(isOnly ? { only } : {}) }, isOneWord(words ?? []));
}

const NOTHING: Matcher = { any: false, matches: () => false };

/**
 * How a rule is read where its text can be read both ways. A deny or ask rule is read both ways, so that one written for words keeps
 * what it was about. An allow rule is read one way: by names, or, with the blanks of older versions between its conditions, as words.
 */
export function readings({ verb, words, named }: Rule): {
  readonly words: readonly PatternWord[] | undefined | 'none';
  readonly named: Named | undefined;
} {
  if (named === undefined) return { words, named };
  if (verb !== 'allow') return { words: words ?? 'none', named };
  return isByName(named) ? { words: 'none', named } : { words: words ?? 'none', named: undefined };
}

/** Whether an allow rule or a grant is read by names. What older versions wrote differently keeps the meaning it had then. */
export function isByName({ separator, joined }: Named): boolean {
  return separator === 'comma' && !joined;
}

/** A policy that says nothing. */
export const NO_RULES: Policy = emptyPolicy();

/** For rules that are not there: everything is asked, nothing allowed, and no grant quiets it. */
export function closedPolicy(reason: string): Policy {
  return { ...emptyPolicy(), closed: reason };
}

function emptyPolicy(): Policy {
  const index = (): RuleIndex => ({ byTool: new Map(), byGlob: new Map() });
  return { allow: index(), ask: index(), deny: index() };
}

function shelfFor(index: RuleIndex, tool: string): Shelf {
  const known = tool.includes('*') ? index.byGlob.get(tool)?.shelf : index.byTool.get(tool);
  if (known) return known;
  const shelf: Shelf = {
    any: [],
    patterned: [],
    byWord: new Map(),
    byWordAndPath: [],
    bySegment: new Map(),
    withoutKey: [],
    named: [],
    byNamed: { byName: new Map(), withoutKey: [] },
  };
  if (tool.includes('*')) index.byGlob.set(tool, { glob: toolGlob(tool), shelf });
  else index.byTool.set(tool, shelf);
  return shelf;
}

function isOneWord(words: readonly PatternWord[]): boolean {
  return words.filter((word) => !word.every((piece) => 'stars' in piece) || word.length === 0).length <= 1;
}

function shelve(shelf: Shelf, rule: CompiledRule, oneWord: boolean): void {
  if (rule.matcher.any) {
    shelf.any.push(rule);
    return;
  }
  shelf.patterned.push(rule);
  const { key } = rule.matcher;
  if (key === undefined) {
    shelf.withoutKey.push(rule);
    return;
  }
  if (key.kind === 'word' && oneWord) shelf.byWordAndPath.push(rule);
  const index = key.kind === 'word' ? shelf.byWord : shelf.bySegment;
  const siblings = index.get(key.text);
  if (siblings) siblings.push(rule);
  else index.set(key.text, [rule]);
}
