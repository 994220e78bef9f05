import { climbsIn } from '../allow-matcher.js';
import { matchesGlob, wordGlob } from '../patterns/glob.js';
import { hostPattern, matchesHost } from '../patterns/host-pattern.js';
import { matchesPath, pathPattern } from '../patterns/path-pattern.js';
import type { MatchableCall, MatchableSubject } from '../matchable-call.js';
import type { Condition, Named, PatternWord } from '../types.js';
import { isBeyond } from './guard-conditions.js';
import type { Miss, NamedMatcher } from './miss.js';
import { keyOf } from './named-index.js';
import { isRecord } from './prepare-arguments.js';

/**
 * Interprets the conditions of an allow rule as narrowly as possible (RULE1). The rule must cover everything that the call touches: its reported
 * subjects, or all arguments if the tool reports none. A `*` at the end matches any other arguments.
 */
export function allowConditions({ conditions, open }: Named): NamedMatcher {
  const tests = conditions.map((condition) => ({ condition, holds: testOf(condition) }));
  const names = new Set(conditions.map(({ name }) => name));
  const spelt = !open && conditions.every((condition) => condition.kind === 'equal' && isLiteral(condition.value));
  const namesAll = (call: MatchableCall): boolean => findUnnamed(call.arguments?.value, names) === undefined;
  const key = conditions.map((one) => (one.kind === 'equal' ? keyOf(one.name, one.value) : undefined)).find(Boolean);
  return {
    ...(key === undefined ? {} : { key }),
    misses(call) {
      for (const { condition, holds } of tests) {
        const miss = holds(call);
        if (miss !== undefined) return { code: miss, argument: condition.name };
      }
      if (open || call.subjects.some((subject) => isReported(subject, names))) return undefined;
      const argument = findUnnamed(call.arguments?.value, names);
      return argument === undefined ? undefined : { code: 'unnamed', argument };
    },
    covers(subject, call) {
      switch (subject.kind) {
        case 'dynamic':
          return false;
        case 'words':
          // A pattern for the text of a command would also match a second command, so only the exact text is covered.
          return call.subjectsFrom === 'arguments' || (spelt && namesAll(call));
        case 'path':
          return subject.normal !== undefined && (open || isReported(subject, names) || namesAll(call));
        case 'host':
          return open || isReported(subject, names) || namesAll(call);
      }
    },
  };
}

/** Whether the tool reports this subject for an argument that the rule names. */
function isReported(subject: MatchableSubject, names: ReadonlySet<string>): boolean {
  return (subject.kind === 'path' || subject.kind === 'host') && names.has(subject.argument ?? '');
}

/** The first argument that the rule doesn't name. Naming every member of an object counts as naming the object. */
function findUnnamed(value: unknown, names: ReadonlySet<string>, prefix = ''): string | undefined {
  if (!isRecord(value)) return prefix === '' ? '*' : prefix.slice(0, -1);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0 && prefix !== '') return prefix.slice(0, -1);
  for (const [key, member] of members) {
    const name = prefix + key;
    const unnamed = names.has(name) ? undefined : findUnnamed(member, names, `${name}.`);
    if (unnamed !== undefined) return unnamed;
  }
  return undefined;
}

function testOf(condition: Condition): (call: MatchableCall) => Miss['code'] | undefined {
  const { name } = condition;
  if (condition.kind === 'compare') {
    return ({ arguments: args }) => {
      const value = args?.one(name)?.value;
      if (value === undefined) return 'missing';
      if (typeof value !== 'number' || !Number.isFinite(value)) return 'not-a-number';
      return isBeyond(value, condition.operator, condition.number) ? undefined : 'different';
    };
  }
  const matchesText = textTest(condition.value);
  const matchesSubject = subjectTest(condition.value);
  return (call) => {
    const reported = call.reportedFor(name);
    const given = call.arguments?.one(name);
    if (reported.length > 0) {
      return reported.every((subject) => matchesSubject(subject, call, given?.value)) ? undefined : 'different';
    }
    if (given === undefined) return 'missing';
    return given.text !== undefined && matchesText(given.text) ? undefined : 'different';
  };
}

/** A star never matches path traversal: `src/*` doesn't match `src/../.env`. */
function textTest(value: PatternWord): (text: string) => boolean {
  const glob = wordGlob(value);
  const climbs = climbsIn(`=${glob.join('*')}`);
  const isUrl = !isLiteral(value) && glob.join('*').includes('://');
  return (text) => matchesGlob(glob, text) && climbsIn(`=${text}`) <= climbs && !(isUrl && CLIMBS_IN_URL.test(text));
}

/** URL parsers decode `%2e` as a dot, treat a backslash as a slash, and skip tabs and line breaks. */
const CLIMBS_IN_URL = /%2e|[\\\t\r\n]/i;

function subjectTest(value: PatternWord): (subject: MatchableSubject, call: MatchableCall, given: unknown) => boolean {
  // A path argument without a leading `./` is relative to the working folder, and so is the rule's pattern.
  const path = pathPattern(value, 'strict') ?? pathPattern(below('./', value), 'strict');
  const host = hostPattern(value);
  const inUrl = hasLiteralOrigin(value) ? textTest(value) : undefined;
  const any = value.length === 1 && value[0] !== undefined && 'stars' in value[0];
  return (subject, { bases }, given) => {
    switch (subject.kind) {
      case 'path':
        if (subject.normal === undefined) return false;
        return any || (path !== undefined && matchesPath(path, subject.normal, bases, 'strict'));
      case 'host':
        return any || matchesHost(host, subject.plain) || (typeof given === 'string' && inUrl?.(given) === true);
      case 'words':
      case 'dynamic':
        return false;
    }
  };
}

function below(folder: string, [first, ...rest]: PatternWord): PatternWord {
  if (first === undefined || !('text' in first))
    return [{ text: folder }, ...(first === undefined ? [] : [first]), ...rest];
  return [{ text: folder + first.text }, ...rest];
}

/** `https://*.example.com/*` would match `https://evil.org/.example.com/`, so stars are allowed only after the host. */
function hasLiteralOrigin([first, second]: PatternWord): boolean {
  if (first === undefined || !('text' in first)) return false;
  return second === undefined || /^[a-z]+:\/\/[^/?#\\@]+\//.test(first.text);
}

function isLiteral(value: PatternWord): boolean {
  return value.every((piece) => 'text' in piece);
}
