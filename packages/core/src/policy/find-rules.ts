import type { CompiledRule, RuleIndex, Shelf } from './compile-policy.js';
import { matchesGlob } from './glob.js';
import type { PreparedCall, PreparedSubject } from './prepare-call.js';

export function shelves(index: RuleIndex | undefined, tool: string): readonly Shelf[] {
  const found: Shelf[] = [];
  if (index === undefined) return found;
  const exact = index.byTool.get(tool);
  if (exact) found.push(exact);
  for (const { glob, shelf } of index.byGlob.values()) if (matchesGlob(glob, tool)) found.push(shelf);
  return found;
}

/** The texts of the rules that any subject matches: for deny and ask, one is enough. */
export function* matching(from: readonly Shelf[], call: PreparedCall): Generator<string, undefined> {
  for (const shelf of from) for (const rule of shelf.any) yield rule.text;
  if (from.length === 0) return undefined;
  for (const subject of call.subjects) {
    for (const rule of candidates(from, subject)) if (rule.matcher.matches(subject, call.bases)) yield rule.text;
  }
  return undefined;
}

/** For allow, every subject must be covered; the rule that covers the first one is named. */
export function covering(from: readonly Shelf[], call: PreparedCall): string | undefined {
  // Nothing that could be covered: it touches nothing it can name, and only a rule for every call covers that.
  if (call.subjects.every(isInner)) return from.find((shelf) => shelf.any.length > 0)?.any[0]?.text;
  let first: string | undefined;
  for (const subject of call.subjects) {
    if (isInner(subject)) continue;
    const rule = coveringOne(from, subject, call);
    if (rule === undefined) return undefined;
    first ??= rule.text;
  }
  return first;
}

export function coveringOne(
  from: readonly Shelf[],
  subject: PreparedSubject,
  call: PreparedCall,
): CompiledRule | undefined {
  const any = from.find((shelf) => shelf.any.length > 0)?.any[0];
  if (any?.matcher.matches(subject, call.bases)) return any;
  for (const rule of candidates(from, subject)) if (rule.matcher.matches(subject, call.bases)) return rule;
  return undefined;
}

/** What runs inside another subject is allowed with it, or not at all. */
export function isInner(subject: PreparedSubject): boolean {
  return subject.kind === 'words' && subject.inner;
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
