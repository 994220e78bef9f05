import { allowMatcher } from '../allow-matcher.js';
import { allowConditions } from '../arguments/allow-conditions.js';
import type { NamedMatcher } from '../arguments/miss.js';
import { covering, coveringOne, isInner, groupsFor, withEffects } from '../rules/find-rules.js';
import { compilePolicy, isByName, type Policy, type RuleGroup } from '../compile-policy.js';
import type { Matcher } from '../matcher.js';
import { type MatchableCall, type MatchableSubject, matchable } from '../matchable-call.js';
import { parsePattern } from '../rules/read-pattern.js';
import type { Named, PatternWord, PolicyCall } from '../types.js';

/**
 * Whether the rules, together with the existing policies, allow this call, and whether each rule is needed for it. A decision must not add rules that
 * its call doesn't need.
 */
export function rulesCover(rules: readonly string[], there: readonly Policy[], call: PolicyCall): boolean {
  const prepared = matchable(call);
  const sent: (readonly RuleGroup[])[] = [];
  for (const rule of rules) {
    const compiled = compilePolicy([rule]);
    if (!compiled.ok) return false;
    sent.push(withEffects(groupsFor(compiled.policy.allow, call.tool), prepared));
  }
  const known = withEffects(
    there.flatMap(({ allow }) => groupsFor(allow, call.tool)),
    prepared,
  );
  if (covering([...sent.flat(), ...known], prepared) === undefined) return false;
  const parts = prepared.subjects.filter((subject) => !isInner(subject));
  if (parts.length === 0) return sent.length === 1 && covering(sent.flat(), prepared) !== undefined;
  const covers = parts.map((subject) => sent.map((from) => coveringOne(from, subject, prepared) !== undefined));
  return sent.every((_, index) => covers.some((by) => by[index] === true && by.filter(Boolean).length === 1));
}

/** The size of the compiled pattern cache. Parsing ten thousand grants again for every call would be noticeably slow. */
const MAX_COMPILED = 20_000;
const compiledPatterns = new Map<string, Compiled | undefined>();

interface Compiled {
  readonly matcher?: Matcher;
  readonly named?: NamedMatcher;
}

/** Whether the argument patterns of a grant, one per line, cover every part of a call. An invalid pattern covers nothing. */
export function patternCovers(pattern: string, call: MatchableCall): boolean {
  const lines = pattern.split('\n').map((line) => compiledPattern(line));
  const { subjects } = call;
  if (subjects.every(isInner)) return lines.some((line) => coversNothing(line, call));
  return subjects.every((subject) => isInner(subject) || lines.some((line) => coversSubject(line, subject, call)));
}

/** Whether a pattern covers a call that touches nothing. */
function coversNothing({ matcher, named }: Compiled = {}, call: MatchableCall): boolean {
  return named === undefined ? matcher?.any === true : named.misses(call) === undefined;
}

function coversSubject({ matcher, named }: Compiled = {}, subject: MatchableSubject, call: MatchableCall): boolean {
  if (named !== undefined) return named.misses(call) === undefined && named.covers(subject, call);
  return matcher?.matches(subject, call.bases) === true;
}

/** Why a tool's `approval.pattern` can't be read. Undefined if it can. */
export function patternProblem(pattern: string): string | undefined {
  const parsed = parsePattern(pattern);
  return parsed.ok ? undefined : `character ${parsed.position + 1}: ${parsed.error}`;
}

function compiledPattern(pattern: string): Compiled | undefined {
  if (compiledPatterns.has(pattern)) return compiledPatterns.get(pattern);
  const parsed = parsePattern(pattern);
  const matcher = parsed.ok ? compile(parsed) : undefined;
  const [oldest] = compiledPatterns.size < MAX_COMPILED ? [] : compiledPatterns.keys();
  if (oldest !== undefined) compiledPatterns.delete(oldest);
  compiledPatterns.set(pattern, matcher);
  return matcher;
}

function compile({ words, named }: { words?: readonly PatternWord[]; named?: Named }): Compiled | undefined {
  if (named !== undefined && isByName(named)) return { named: allowConditions(named) };
  return words === undefined ? undefined : { matcher: allowMatcher(words) };
}
