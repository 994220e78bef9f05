import { CountersignError } from '@countersign/protocol';
import { compilePolicy, type Policy } from '../policy/index.js';

/** Rules that somebody sent: one that can't be read refuses them all, in words that say where, and is never passed over (A19). */
export function compileRules(rules: readonly string[], field: string): Policy {
  const compiled = compilePolicy(rules);
  if (compiled.ok) return compiled.policy;
  const where = `${field}.${compiled.index}`;
  throw new CountersignError('invalid', `${where}: ${compiled.error} (at character ${compiled.position + 1})`, {
    field: where,
  });
}
