import { endText, readEnd } from '@countersign/protocol';
import type { ParseFailure, Rule } from '../types.js';
import { SANDBOX_RULES } from './sandbox-names.js';

/** Whether the rest of a rule is meant to say when it ends. */
export function startsUntilClause(text: string, at: number): boolean {
  return /^(?:until|for|today)(?:[ \t]|$)/i.test(text.slice(at));
}

/** Parses `until TIME` and the end of the rule. Only an allow rule can end: a deny or ask rule that ends would let calls run that nobody decided about. */
export function readUntilClause(
  text: string,
  from: number,
  { verb, tool }: Pick<Rule, 'verb' | 'tool'>,
): { ok: true; ends: number } | ParseFailure {
  if (verb !== 'allow') return failure('only an allow rule can end', from);
  if (SANDBOX_RULES.includes(tool))
    return failure(`a rule for ${tool} can't end, because programs that already run keep what it opened`, from);
  const [first, second, ...rest] = [...text.slice(from).matchAll(/[^ \t]+/g)];
  if (first?.[0] !== 'until') return failure(RELATIVE, from);
  const at = from + (second?.index ?? first[0].length);
  const ends = second === undefined ? undefined : readEnd(second[0]);
  if (ends === undefined) return failure(EXPECTED, at);
  const [next] = rest;
  if (next === undefined) return { ok: true, ends };
  const isComment = next[0].startsWith('#');
  return failure(isComment ? 'a comment needs a line of its own' : 'expected the end of the rule', from + next.index);
}

/** Why a new rule that has already ended is refused. Undefined if it has not. */
export function endedText({ ends }: Pick<Rule, 'ends'>, now: number): string | undefined {
  return ends === undefined || ends > now
    ? undefined
    : `this rule ended at ${endText(ends)}. Write a later time, in UTC`;
}

const EXPECTED = 'expected a date or time in UTC, as in "until 2027-01-31" or "until 2027-01-31T18:00Z"';
const RELATIVE =
  'expected "until" with a date or time in UTC, as in "until 2027-01-31". "for 1h" and "today" are replaced only in new rules of a world';

function failure(error: string, position: number): ParseFailure {
  return { ok: false, error, position };
}
