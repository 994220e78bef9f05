import { type Subject, toolNameSchema } from '@countersign/protocol';
import type { Policy } from '../compile-policy.js';
import { rulesCover } from './covers-call.js';
import { coveringOne, groupsFor } from '../rules/find-rules.js';
import { proposeClause } from '../effects/propose-clause.js';
import { isRecord } from '../arguments/prepare-arguments.js';
import { shownValue } from '../default-subjects.js';
import { formatNamed, formatShort, LONGEST } from './format-pattern.js';
import { plainHost } from '../patterns/host-pattern.js';
import { normalSegments } from '../patterns/path-text.js';
import { matchable } from '../matchable-call.js';
import type { Condition, PatternWord, CallFolders, PolicyCall } from '../types.js';

/** People don't read more lines than this before approving. */
const MAX_RULES = 5;

/**
 * Proposes the narrowest allow rules for this call, one per line: the literal words, path or host of each subject that no rule allows yet, and the
 * folders that it changed if it was rehearsed.
 * Undefined for dynamic subjects, for too many rules, and for calls without subjects (only "any arguments" would cover those).
 */
export function proposeRule(call: PolicyCall, there: readonly Policy[] = []): string | undefined {
  const { tool, place } = call;
  // A tool name with a star would parse as a glob.
  if (!toolNameSchema.safeParse(tool).success) return undefined;
  const named = proposeNamed(call);
  if (named !== undefined) {
    const fits = named.length <= LONGEST && (isPlain(call) || rulesCover([named], there, call));
    return fits ? named : undefined;
  }
  const rules = new Set<string>();
  for (const subject of uncovered(call, there)) {
    const pattern = literalPattern(subject, place);
    if (pattern === undefined || rules.size > MAX_RULES) return undefined;
    rules.add(`allow ${tool}(${pattern})`);
  }
  if (rules.size === 0 || rules.size > MAX_RULES) return undefined;
  const fit = (lines: readonly string[]): string | undefined => {
    const text = lines.join('\n');
    return text.length <= LONGEST && rulesCover(lines, there, call) ? text : undefined;
  };
  // Narrower: the same command may next time do something else.
  const clause = call.effect === undefined ? undefined : proposeClause(call.effect);
  const narrow = clause === undefined ? undefined : fit([...rules].map((rule) => `${rule} ${clause}`));
  return narrow ?? fit([...rules]);
}

const PLAIN_NAME = /^[a-z][a-z0-9_]*$/i;
const PLAIN_VALUE = /^[a-z][a-z0-9_]*$/i;

/** Whether all names and values parse back unchanged without escaping. If so, there is no need to check that the rule covers its call. */
function isPlain({ arguments: args }: PolicyCall): boolean {
  if (!isRecord(args?.value)) return false;
  for (const [name, value] of Object.entries(args.value)) {
    const isPlainValue =
      typeof value === 'string'
        ? PLAIN_VALUE.test(value) && shownValue(value) === value
        : typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
    if (!isPlainValue || !PLAIN_NAME.test(name)) return false;
  }
  return true;
}

function proposeNamed(call: PolicyCall): string | undefined {
  const conditions = namedConditions(call);
  return conditions === undefined ? undefined : `allow ${call.tool}(${formatNamed({ conditions, open: false })})`;
}

/** For a tool that reports no subjects: names every argument, so that no other call is covered. */
export function namedConditions({
  subjects,
  arguments: args,
  subjectsFrom,
}: PolicyCall): readonly Condition[] | undefined {
  if (subjectsFrom !== 'arguments' || args?.ok !== true || subjects.some(({ kind }) => kind === 'dynamic'))
    return undefined;
  const members = isRecord(args.value) ? Object.entries(args.value).filter(([, value]) => value !== undefined) : [];
  if (members.length === 0) return undefined;
  // Checked before they are sorted and formatted, because formatting only adds characters.
  if (members.reduce((size, [name, value]) => size + sizeOf(name) + sizeOf(value), 0) > LONGEST) return undefined;
  return members
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]): Condition => ({ kind: 'equal', name, value: literal(shownValue(value)) }));
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}

/** Splits the text of a decision or proposal into rules. */
export function splitRules(text: string): readonly string[] {
  return text.split('\n');
}

function* uncovered(call: PolicyCall, there: readonly Policy[]): Generator<Subject> {
  const prepared = matchable(call);
  const known = there.flatMap(({ allow }) => groupsFor(allow, call.tool));
  for (const [index, subject] of call.subjects.entries()) {
    const ready = prepared.subjects[index];
    if (subject.kind === 'words' && subject.inner === true) continue;
    if (ready === undefined || coveringOne(known, ready, prepared) === undefined) yield subject;
  }
}

export function literalPattern(subject: Subject, place: CallFolders): string | undefined {
  switch (subject.kind) {
    case 'words':
      return formatShort(subject.words.map(literal));
    case 'path':
      return formatShort([literal(shortPath(subject.path, place))]);
    case 'host':
      return formatShort([literal(plainHost(subject.host))]);
    case 'dynamic':
      return undefined;
  }
}

export function literal(text: string): PatternWord {
  return text === '' ? [] : [{ text }];
}

/** Shortens a path as a person would write it: `./…` in the working folder, `~/…` in home. */
function shortPath(path: string, place: CallFolders): string {
  const folders = [
    ['.', place.workingDirectory],
    ['~', place.home],
  ] as const;
  for (const [sign, folder] of folders) {
    if (folder === '/' || normalSegments(folder) === undefined) continue;
    if (path === folder) return sign;
    if (path.startsWith(`${folder}/`)) return sign + path.slice(folder.length);
  }
  return path;
}
