import { parseRule, type SigningRule } from '../policy/index.js';

/** `by 2 of @finance`, as a rule about `pay`. */
export function signingRule(text: string): SigningRule {
  const rule = `ask pay ${text}`;
  const parsed = parseRule(rule);
  if (!parsed.ok || parsed.rule.by === undefined) throw new Error(text);
  return { rule, by: parsed.rule.by };
}
