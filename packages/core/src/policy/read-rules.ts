import { compilePolicy } from './compile-policy.js';

/** Rules as they stand in a file: one a line; empty lines and those that begin with `#` are left out. */
export function readRules(
  text: string,
): { ok: true; rules: readonly string[] } | { ok: false; error: string; line: number; column: number } {
  const rules: string[] = [];
  const lines: number[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const rule = line.trim();
    if (rule === '' || rule.startsWith('#')) continue;
    rules.push(line.trimEnd());
    lines.push(index + 1);
  }
  const compiled = compilePolicy(rules);
  if (compiled.ok) return { ok: true, rules };
  return { ok: false, error: compiled.error, line: lines[compiled.index] ?? 0, column: compiled.position + 1 };
}
