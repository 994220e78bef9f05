import { CountersignError, isRule } from '@countersign/protocol';
import {
  compilePolicy,
  endedText,
  findMisfit,
  parseRule,
  type Policy,
  type Rule,
  SANDBOX_RULES,
  showHidden,
} from '../policy/index.js';
import type { RegisteredTool } from '../ports/index.js';
import { knownTool } from './known-tool.js';
import { meantForShell } from './meant-rules.js';

/** Where rules came from. `of`: the display name of the source, if there are several. */
export interface RuleSource {
  readonly field: string;
  readonly of?: string;
}

/** Compiles new rules. One invalid rule rejects all of them, with its position; none is ever skipped (RULE1). */
export function compileRules(
  rules: readonly string[],
  source: RuleSource,
  tools: ReadonlyMap<string, RegisteredTool> = new Map(),
): Policy {
  const compiled = compilePolicy(rules);
  if (compiled.ok) return compiled.policy;
  const { index, position, error } = compiled;
  throw compileRule(rules, index, source, tools) ?? refuseRule(source, rules, index, error, position);
}

/** New rules of a world or agent. `now`: by the store's clock. */
export interface NewRules {
  readonly rules: readonly string[];
  readonly source: RuleSource;
  readonly tools: ReadonlyMap<string, RegisteredTool>;
  readonly stored?: readonly string[];
  readonly now: number;
}

/**
 * Rejects new rules that are invalid, have already ended or can't match any call to a known tool, because their author would rely on them. Rules that
 * are already stored are not checked again.
 */
export function checkRules(given: NewRules): void {
  const known = new Set(given.stored);
  const refused: CountersignError[] = [];
  for (const [index, text] of given.rules.entries()) {
    const error = known.has(text) || refused.length >= MOST_ERRORS ? undefined : findError(given, index);
    if (error !== undefined) refused.push(error);
  }
  const [first] = refused;
  if (first === undefined) return;
  if (refused.length === 1) throw first;
  const errors = refused.map(({ field = '', message }) => ({ field, detail: message }));
  throw new CountersignError('invalid', first.message, { field: first.field ?? '', errors });
}

const MOST_ERRORS = 50;

function findError({ rules, source, tools, now }: NewRules, index: number): CountersignError | undefined {
  const unreadable = compileRule(rules, index, source, tools);
  const parsed = isRule(rules[index] ?? '') ? parseRule(rules[index] ?? '') : undefined;
  if (unreadable !== undefined || parsed?.ok !== true) return unreadable;
  const { rule } = parsed;
  const tool = tools.get(rule.tool);
  const misfit = endedText(rule, now) ?? findEffectMisfit(rule, tool) ?? findMisfit(rule, knownTool(tool));
  return misfit === undefined ? undefined : refuseRule(source, rules, index, misfit);
}

/** A rule about effects could never match a tool that can't rehearse, and a deny rule would require approval for each of its calls. */
function findEffectMisfit({ effect, tool: name }: Rule, tool: RegisteredTool | undefined): string | undefined {
  if (effect === undefined) return undefined;
  if (SANDBOX_RULES.includes(name)) return `a rule for ${name} can't be about effects`;
  if (tool === undefined || tool.claims?.rehearsals !== undefined) return undefined;
  return `calls to ${name} can't be rehearsed, so a rule can't be about their effects. Write what it is about in parentheses, as in ${name}(…)`;
}

function compileRule(
  rules: readonly string[],
  index: number,
  source: RuleSource,
  tools: ReadonlyMap<string, RegisteredTool>,
): CountersignError | undefined {
  const compiled = compilePolicy(rules.slice(index, index + 1));
  if (compiled.ok) return undefined;
  const meant = meantForShell(rules[index] ?? '', tools);
  const error = meant === undefined ? compiled.error : `there is no tool with this name. Did you mean "${meant}"?`;
  return refuseRule(source, rules, index, error, compiled.position);
}

const LONGEST_SHOWN = 120;

/** `field` is for programs and zero-based; line numbers in the message start at one. */
export function refuseRule(
  { field, of = '' }: RuleSource,
  rules: readonly string[],
  index: number,
  error: string,
  position?: number,
): CountersignError {
  const text = showHidden(rules[index] ?? '');
  const shown = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
  const character = position === undefined ? '' : `, character ${position + 1}`;
  const where = `${of === '' ? '' : `${of}, `}line ${index + 1}${character}`;
  return new CountersignError('invalid', `${where}: ${error.replace(/[^.?]$/, '$&.')} The rule: ${shown}`, {
    field: `${field}.${index}`,
  });
}
