import { type Subject, toolNameSchema } from '@countersign/protocol';
import type { Policy } from './compile-policy.js';
import { rulesCover } from './covers-call.js';
import { coveringOne, shelves } from './find-rules.js';
import { isRecord } from './arguments/prepare-arguments.js';
import { shownValue } from './default-subjects.js';
import { formatNamed, formatPattern } from './format-rule.js';
import { plainHost } from './patterns/host-pattern.js';
import { normalSegments } from './patterns/path-text.js';
import { prepareOnce } from './prepare-call.js';
import type { Condition, PatternWord, Place, PolicyCall } from './types.js';

/** More lines than this nobody reads before signing them. */
const MOST_RULES = 5;
/** What the wire takes of a decision's rules. */
const LONGEST = 2000;

/**
 * The narrowest allow rules for this very call, one a line: for each thing it touches that no rule allows yet, its words,
 * path or host, literally. Undefined where that can't be said: something dynamic, too much of it, or nothing at all (only
 * "any arguments" would cover that).
 */
export function proposeRule(call: PolicyCall, there: readonly Policy[] = []): string | undefined {
  const { tool, place } = call;
  // A name with a star in it would be read back as a rule for many tools.
  if (!toolNameSchema.safeParse(tool).success) return undefined;
  const named = proposeNamed(call);
  if (named !== undefined) {
    const fits = named.length <= LONGEST && (isPlain(call) || rulesCover([named], there, call));
    return fits ? named : undefined;
  }
  const rules = new Set<string>();
  for (const subject of uncovered(call, there)) {
    const pattern = literalPattern(subject, place);
    if (pattern === undefined || rules.size > MOST_RULES) return undefined;
    rules.add(`allow ${tool}(${pattern})`);
  }
  const text = [...rules].join('\n');
  const fits = rules.size > 0 && rules.size <= MOST_RULES && text.length <= LONGEST;
  return fits && rulesCover([...rules], there, call) ? text : undefined;
}

const PLAIN_NAME = /^[a-z][a-z0-9_]*$/i;
const PLAIN_VALUE = /^[a-z][a-z0-9_]*$/i;

/** Names and values that are written into a rule as they are and read back as they are: such a rule need not be read to know that it covers its call. */
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

/** Names every argument, for a tool that does not say what it touches, so that the rule covers no other call. */
function proposeNamed({ tool, subjects, arguments: args, subjectsFrom }: PolicyCall): string | undefined {
  if (subjectsFrom !== 'arguments' || args?.ok !== true || subjects.some(({ kind }) => kind === 'dynamic'))
    return undefined;
  const members = isRecord(args.value) ? Object.entries(args.value).filter(([, value]) => value !== undefined) : [];
  if (members.length === 0) return undefined;
  const conditions = members
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]): Condition => ({ kind: 'equal', name, value: literal(shownValue(value)) }));
  return `allow ${tool}(${formatNamed({ conditions, open: false })})`;
}

/** The rules in a decision or a proposal. */
export function splitRules(text: string): readonly string[] {
  return text.split('\n');
}

function* uncovered(call: PolicyCall, there: readonly Policy[]): Generator<Subject> {
  const prepared = prepareOnce(call);
  const known = there.flatMap(({ allow }) => shelves(allow, call.tool));
  for (const [index, subject] of call.subjects.entries()) {
    const ready = prepared.subjects[index];
    if (subject.kind === 'words' && subject.inner === true) continue;
    if (ready === undefined || coveringOne(known, ready, prepared) === undefined) yield subject;
  }
}

function literalPattern(subject: Subject, place: Place): string | undefined {
  switch (subject.kind) {
    case 'words':
      return formatPattern(subject.words.map(literal));
    case 'path':
      return formatPattern([literal(shortPath(subject.path, place))]);
    case 'host':
      return formatPattern([literal(plainHost(subject.host))]);
    case 'dynamic':
      return undefined;
  }
}

function literal(text: string): PatternWord {
  return text === '' ? [] : [{ text }];
}

/** As a person would write it: under the working folder `./…`, under home `~/…`. */
function shortPath(path: string, place: Place): string {
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
