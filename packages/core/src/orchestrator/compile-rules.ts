import { CountersignError, isRule } from '@countersign/protocol';
import { compilePolicy, findMisfit, parseRule, type Policy } from '../policy/index.js';
import type { Tool } from '../ports/index.js';

/** Rules that somebody sent. One that can't be read refuses them all and says where it is; none is ever left out (A19). */
export function compileRules(rules: readonly string[], field: string): Policy {
  const compiled = compilePolicy(rules);
  if (compiled.ok) return compiled.policy;
  const where = `${field}.${compiled.index}`;
  throw new CountersignError('invalid', `${where}: ${compiled.error} (at character ${compiled.position + 1})`, {
    field: where,
  });
}

/**
 * The same for new rules: one that can't match any call of a known tool is refused, since its author would rely on it. Stored rules
 * are not checked again.
 */
export function checkRules(
  rules: readonly string[],
  field: string,
  tools: ReadonlyMap<string, Tool>,
  stored: readonly string[] = [],
): void {
  compileRules(rules, field);
  const known = new Set(stored);
  for (const [index, text] of rules.entries()) {
    if (!isRule(text) || known.has(text)) continue;
    const parsed = parseRule(text);
    const misfit = parsed.ok ? findMisfit(parsed.rule, knownTool(tools.get(parsed.rule.tool))) : undefined;
    if (misfit === undefined) continue;
    const where = `${field}.${index}`;
    throw new CountersignError('invalid', `${where}: ${text}: ${misfit}`, { field: where });
  }
}

function knownTool(tool: Tool | undefined): Parameters<typeof findMisfit>[1] {
  if (tool === undefined) return undefined;
  const { name, parameters } = tool.definition;
  return { name, parameters, tellsSubjects: tool.subjects !== undefined };
}
