import { isRule } from '@countersign/protocol';
import { parseRule } from './parse-rule.js';

/** The first rule that requires a passkey and is missing or changed in the new rules. Without it, calls could run that nobody signed (A49.5). */
export function removedPasskeyRule(before: readonly string[], after: readonly string[]): string | undefined {
  return before.find((rule) => requiresPasskey(rule) && !after.includes(rule));
}

function requiresPasskey(rule: string): boolean {
  const parsed = isRule(rule) ? parseRule(rule) : undefined;
  return parsed?.ok === true && parsed.rule.by?.passkey === true;
}
