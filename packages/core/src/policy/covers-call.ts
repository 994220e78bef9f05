import { allowMatcher } from './allow-matcher.js';
import { matchesGlob, toolGlob } from './glob.js';
import { parseRule } from './parse-rule.js';
import { prepareCall } from './prepare-call.js';
import { parsePattern } from './scan-pattern.js';
import type { PatternWord, PolicyCall } from './types.js';

/** Whether this one rule would allow this call if it were the only one. What is no allow rule covers nothing. */
export function coversCall(ruleText: string, call: PolicyCall): boolean {
  const parsed = parseRule(ruleText);
  if (!parsed.ok || parsed.rule.verb !== 'allow') return false;
  return matchesGlob(toolGlob(parsed.rule.tool), call.tool) && wordsCover(parsed.rule.words, call);
}

/** The same for an argument pattern alone, as grants and tools have them. What can't be parsed covers nothing. */
export function patternCovers(pattern: string, call: PolicyCall): boolean {
  const parsed = parsePattern(pattern);
  return parsed.ok && wordsCover(parsed.words, call);
}

function wordsCover(words: readonly PatternWord[] | undefined, call: PolicyCall): boolean {
  const matcher = allowMatcher(words);
  const { subjects, bases } = prepareCall(call);
  if (subjects.length === 0) return matcher.any;
  return subjects.every((subject) => matcher.matches(subject, bases));
}
