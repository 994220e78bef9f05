import { describeCause, type Subject, toCause } from '@countersign/protocol';
import { readings } from '../compile-policy.js';
import { shownValue } from '../default-subjects.js';
import { matchesGlob, wordGlob } from '../patterns/glob.js';
import { isAnchored } from '../patterns/path-pattern.js';
import type { Condition, Named, PatternWord, Rule, Verb } from '../types.js';
import { type ArgumentSchema, argumentNames, findArgument, requiredNames } from './argument-schema.js';
import { foldText } from './prepare-arguments.js';
import { literalNumber, readNumber, SPACE } from './scan-named.js';

/** The tool that a rule names. */
export interface KnownTool {
  readonly name: string;
  readonly parameters: unknown;
  /** Returns the subjects of a call with these arguments. Absent if the tool reports none; rules then see only its arguments. */
  readonly touches?: (args: Record<string, unknown>) => readonly Subject[];
}

/** Explains why a rule can't match any call to its tool, and what to write instead. Undefined if it may match. */
export function findMisfit(rule: Rule, tool: KnownTool | undefined): string | undefined {
  if (rule.named?.joined === true) return `put ${SPACE}`;
  if (tool === undefined) {
    return rule.looksNamed === true
      ? `${QUOTE}. A command that begins with name=value needs quotes around that word, or a rule for its own tool`
      : undefined;
  }
  const { named, verb } = rule;
  if (named === undefined) return rule.words === undefined ? undefined : findWordMisfit(rule.words, verb, tool);
  for (const condition of named.conditions) {
    const misfit = findConditionMisfit(condition, verb, tool);
    if (misfit !== undefined) return misfit;
  }
  if (tool.touches !== undefined) return findCommandMisfit(rule, named, tool);
  return verb === 'allow' ? findUncovered(rule, named, tool) : undefined;
}

const QUOTE = `Quote a value that contains spaces or commas, as in name='a b'`;

function findConditionMisfit(condition: Condition, verb: Verb, tool: KnownTool): string | undefined {
  const { name } = condition;
  const schema = findArgument(tool.parameters, name);
  if (schema === 'none') return `${tool.name} has no argument "${name}". ${listNames(tool)}`;
  return condition.kind === 'compare'
    ? findCompareMisfit(name, schema, verb, tool)
    : findValueMisfit(name, condition.value, schema, verb, tool);
}

function findCompareMisfit(name: string, schema: ArgumentSchema, verb: Verb, tool: KnownTool): string | undefined {
  if (mayCompare(schema, verb)) return undefined;
  return `"${name}" of ${tool.name} is not a number (${typeWords(schema)}), so it can't be compared with one`;
}

/**
 * Whether values may be compared with a number. A deny or ask rule matches any text that isn't a number (RULE4.2), so on a string it would match
 * almost every call.
 */
function mayCompare({ types, values, items }: ArgumentSchema, verb: Verb): boolean {
  if (types === undefined || types.has('number') || types.has('integer')) return true;
  if (verb === 'allow') return false;
  // Lists are compared item by item.
  if (types.has('array') && (items === undefined || mayCompare(items, verb))) return true;
  return types.has('string') && values?.some((value) => readNumber(String(value)) !== undefined) === true;
}

function typeWords({ types = new Set(), items }: ArgumentSchema): string {
  return [...types]
    .map((type) => (type === 'array' && items !== undefined ? `array of ${typeWords(items)}` : type))
    .join(' or ');
}

function findValueMisfit(
  name: string,
  value: PatternWord,
  { types, values }: ArgumentSchema,
  verb: Verb,
  tool: KnownTool,
): string | undefined {
  const text = value.map((piece) => ('text' in piece ? piece.text : '*')).join('');
  const never = (is: string): string => `"${name}" of ${tool.name} is ${is}, so it is never "${text}"`;
  if (values !== undefined && !values.some((one) => mayBe(value, one, verb))) {
    return never(`one of ${values.map((one) => JSON.stringify(one)).join(', ')}`);
  }
  if (types === undefined || value.some((piece) => 'stars' in piece)) return undefined;
  const only = (...names: string[]): boolean => types.size > 0 && [...types].every((type) => names.includes(type));
  if (only('number', 'integer') && literalNumber(value) === undefined) return never('a number');
  if (only('boolean') && !['true', 'false'].includes(foldText(text))) return never('true or false');
  return undefined;
}

function mayBe(value: PatternWord, one: unknown, verb: Verb): boolean {
  const shown = shownValue(one);
  if (verb === 'allow') return matchesGlob(wordGlob(value), shown);
  return [shown, String(one)].some((text) => matchesGlob(wordGlob(value, foldText), foldText(text)));
}

/** An allow rule covers a call only if it names every argument. */
function findUncovered(rule: Rule, named: Named, tool: KnownTool): string | undefined {
  const names = named.conditions.map(({ name }) => name);
  if (readings(rule).named === undefined && names.some((name, at) => at > 0 && name < (names[at - 1] ?? ''))) {
    return 'separate arguments with commas';
  }
  if (named.open) return undefined;
  const missing = requiredNames(tool.parameters).filter(
    (name) => !names.some((other) => other === name || other.startsWith(`${name}.`)),
  );
  if (missing.length === 0) return undefined;
  return (
    `every call to ${tool.name} also has ${listed(missing)}, which this rule does not name. ` +
    `Name it as well, or end the rule with ", *" to allow any other arguments`
  );
}

/** Checks conditions for a tool that reports subjects: an allow rule covers commands only by their exact text (RULE4). */
function findCommandMisfit(rule: Rule, named: Named, tool: KnownTool): string | undefined {
  const { verb } = rule;
  const subjects = tool.touches?.(sampleOf(named)) ?? [];
  const isCommand = subjects.some(({ kind }) => kind === 'words' || kind === 'dynamic');
  const example = isCommand
    ? `. For a pattern, leave the name out: ${verb} ${tool.name}(${positional(rule, named)})`
    : '';
  if (named.separator === 'blank') return `a value ends at the first space. ${QUOTE}${example}`;
  if (verb !== 'allow' || !isCommand) return undefined;
  const isSpelt =
    !named.open && named.conditions.every((one) => one.kind === 'equal' && one.value.every((piece) => 'text' in piece));
  if (!isSpelt) return `a condition on the command allows only its exact text${example}`;
  const dynamic = subjects.find((subject) => subject.kind === 'dynamic');
  return dynamic === undefined
    ? undefined
    : `no rule can allow this command in advance (${describeCause(toCause(dynamic.why))})${example}`;
}

/** Sample arguments that the conditions could apply to. */
function sampleOf({ conditions }: Named): Record<string, unknown> {
  return Object.fromEntries(
    conditions.map((one) => [
      one.name,
      one.kind === 'equal' ? one.value.map((piece) => ('text' in piece ? piece.text : 'x')).join('') : one.number,
    ]),
  );
}

/** Converts `command='git '*` to words: `git *`. Returns an example if that isn't possible. */
function positional({ words = [] }: Rule, { conditions }: Named): string {
  const shown = words
    .map((word) => word.map((piece) => ('text' in piece ? piece.text : '*')).join(''))
    .join(' ')
    .replace(`${conditions[0]?.name ?? ''}=`, '');
  return conditions.length === 1 && /^[\w./-]+(?: [\w./*-]+)*$/.test(shown) ? shown : 'git status *';
}

/** Checks a pattern of words. A tool that reports no subjects is judged by `name=value` words. */
function findWordMisfit(words: readonly PatternWord[], verb: Verb, tool: KnownTool): string | undefined {
  const names = argumentNames(tool.parameters);
  if (names === undefined) return undefined;
  const begins = words.map(([first]) => (first !== undefined && 'text' in first ? first.text : ''));
  const [only, second] = words;
  if (tool.touches !== undefined) {
    const trap = names.find((name) => begins[0]?.startsWith(`${name}=`) === true);
    return trap === undefined ? undefined : `this is not a condition on ${trap}. ${QUOTE}`;
  }
  if (words.length === 0) {
    const [required] = requiredNames(tool.parameters);
    return required === undefined ? undefined : `every call to ${tool.name} has the argument ${required}`;
  }
  if (verb !== 'allow' && only !== undefined && second === undefined && isAnchored(only)) return undefined;
  const fits = (text: string): boolean =>
    text.startsWith('"') || names.some((name) => `${name}=`.startsWith(text) || text.startsWith(`${name}=`));
  if (begins.every(fits)) return undefined;
  return `rules judge calls to ${tool.name} by their arguments: write conditions such as name=value or name > 100, separated by commas. ${listNames(tool)} ${QUOTE}`;
}

function listNames({ name, parameters }: KnownTool): string {
  const names = argumentNames(parameters) ?? [];
  if (names.length === 0) return `${name} takes no arguments.`;
  return names.length === 1 ? `Its only argument is ${names[0]}.` : `Its arguments are ${listed(names)}.`;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
