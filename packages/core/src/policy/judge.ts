import type { CompiledRule, Policy, RuleIndex, Shelf } from './compile-policy.js';
import { matchesGlob } from './glob.js';
import { type PreparedCall, type PreparedSubject, prepareCall } from './prepare-call.js';
import type { PolicyCall } from './types.js';

/** The agent's rules can only be stricter: its allow rules are not looked at. */
export interface Policies {
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
  readonly asks: readonly string[];
  readonly allow?: string;
  /** Why everything is asked, if a policy could not be read. */
  readonly closed?: string;
  /** A deny or ask rule that a dynamic part of the call might break; nobody can tell before it runs. */
  readonly unclear?: string;
}

/** deny beats ask beats allow, whatever the order (A19). */
export function judge(policies: Policies, call: PolicyCall): Judgement {
  const { deny, asks, allow, closed } = weigh(policies, call);
  if (deny !== undefined) return { outcome: 'deny', rule: deny };
  const [ask] = asks;
  if (ask !== undefined) return { outcome: 'ask', rule: ask };
  if (closed !== undefined) return { outcome: 'ask' };
  return allow === undefined ? { outcome: 'none' } : { outcome: 'allow', rule: allow };
}

export function weigh(policies: Policies, call: PolicyCall): Weighing {
  const prepared = prepareCall(call);
  const { world, agent } = policies;
  const denying = [...shelves(world.deny, call.tool), ...shelves(agent.deny, call.tool)];
  const asking = [...shelves(world.ask, call.tool), ...shelves(agent.ask, call.tool)];
  const deny = matching(denying, prepared).next().value;
  const allow = covering(shelves(world.allow, call.tool), prepared);
  const closed = world.closed ?? agent.closed;
  const unclear = call.subjects.some((subject) => subject.kind === 'dynamic')
    ? [...denying, ...asking].find((shelf) => shelf.patterned.length > 0)?.patterned[0]?.text
    : undefined;
  return {
    asks: [...new Set(matching(asking, prepared))],
    ...(deny === undefined ? {} : { deny }),
    ...(allow === undefined ? {} : { allow }),
    ...(closed === undefined ? {} : { closed }),
    ...(unclear === undefined ? {} : { unclear }),
  };
}

function shelves(index: RuleIndex, tool: string): readonly Shelf[] {
  const found: Shelf[] = [];
  const exact = index.byTool.get(tool);
  if (exact) found.push(exact);
  for (const { glob, shelf } of index.byGlob.values()) if (matchesGlob(glob, tool)) found.push(shelf);
  return found;
}

/** The texts of the rules that any subject matches: for deny and ask, one is enough. */
function* matching(from: readonly Shelf[], call: PreparedCall): Generator<string, undefined> {
  for (const shelf of from) for (const rule of shelf.any) yield rule.text;
  for (const subject of call.subjects) {
    for (const rule of candidates(from, subject)) if (rule.matcher.matches(subject, call.bases)) yield rule.text;
  }
  return undefined;
}

/** For allow, every subject must be covered; the rule that covers the first one is named. */
function covering(from: readonly Shelf[], call: PreparedCall): string | undefined {
  const any = from.find((shelf) => shelf.any.length > 0)?.any[0];
  // A call that touches nothing it can name is covered only by a rule for every call.
  if (call.subjects.length === 0) return any?.text;
  let first: string | undefined;
  for (const subject of call.subjects) {
    const rule = any?.matcher.matches(subject, call.bases) ? any : coveringOne(from, subject, call);
    if (rule === undefined) return undefined;
    first ??= rule.text;
  }
  return first;
}

function coveringOne(from: readonly Shelf[], subject: PreparedSubject, call: PreparedCall): CompiledRule | undefined {
  for (const rule of candidates(from, subject)) if (rule.matcher.matches(subject, call.bases)) return rule;
  return undefined;
}

/** The rules that might match, found by what the subject contains. */
function* candidates(from: readonly Shelf[], subject: PreparedSubject): Generator<CompiledRule> {
  for (const shelf of from) {
    switch (subject.kind) {
      case 'words':
        if (shelf.byWord.size > 0) yield* lookUp(shelf.byWord, subject.distinct());
        if (shelf.bySegment.size > 0) yield* lookUp(shelf.bySegment, subject.segments());
        yield* shelf.withoutKey;
        break;
      case 'path':
        // `.env` as one word of a deny rule is also the end of a path.
        for (const rules of shelf.byWord.values()) yield* rules;
        if (shelf.bySegment.size > 0) yield* lookUp(shelf.bySegment, subject.segments());
        yield* shelf.withoutKey;
        break;
      case 'host':
      case 'dynamic':
        yield* shelf.patterned;
        break;
    }
  }
}

function* lookUp(index: ReadonlyMap<string, CompiledRule[]>, keys: ReadonlySet<string>): Generator<CompiledRule> {
  for (const key of keys) {
    const rules = index.get(key);
    if (rules) yield* rules;
  }
}
