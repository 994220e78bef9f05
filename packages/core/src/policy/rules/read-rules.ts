import { ruleLines } from '@countersign/protocol';
import { compilePolicy } from '../compile-policy.js';

/** Parses the rules in a text. If one is invalid, returns its error, line and column instead. */
export function readRules(
  text: string,
): { ok: true; rules: readonly string[] } | { ok: false; error: string; line: number; column: number } {
  const lines = ruleLines(text);
  const rules = lines.map(({ rule }) => rule);
  const compiled = compilePolicy(rules);
  if (compiled.ok) return { ok: true, rules };
  const { line, indent } = lines[compiled.index] ?? { line: 0, indent: 0 };
  return { ok: false, error: compiled.error, line, column: indent + compiled.position + 1 };
}
