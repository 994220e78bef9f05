import type { Subject } from '@countersign/protocol';
import { compilePolicy, NO_RULES, type Policy } from '../policy/compile-policy.js';
import { defaultSubjects } from '../policy/default-subjects.js';
import { judge } from '../policy/judge.js';
import type { PolicyCall } from '../policy/types.js';

const place = { workingDirectory: '/srv/project', home: '/home/ann' };

/** A call to `x`, a tool that doesn't report subjects. */
export function plain(args: Record<string, unknown>): PolicyCall {
  return {
    tool: 'x',
    place,
    arguments: { ok: true, value: args },
    subjects: defaultSubjects(args),
    subjectsFrom: 'arguments',
  };
}

/** A call to `x`, a tool that reports subjects. */
export function reporting(args: Record<string, unknown>, ...subjects: Subject[]): PolicyCall {
  return { tool: 'x', place, arguments: { ok: true, value: args }, subjects, subjectsFrom: 'tool' };
}

export function policy(...rules: readonly string[]): Policy {
  const compiled = compilePolicy(rules);
  if (!compiled.ok) throw new Error(`${rules[compiled.index]}: ${compiled.error}`);
  return compiled.policy;
}

export function policies(rules: readonly string[]) {
  return { world: policy(...rules), agent: NO_RULES };
}

export const outcome = (rule: string, call: PolicyCall): string => judge(policies([rule]), call).outcome;
