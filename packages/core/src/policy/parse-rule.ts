import { findHidden } from './patterns/hidden-characters.js';
import { readPattern } from './read-pattern.js';
import { hiddenFailure } from './patterns/scan-pattern.js';
import type { ParseFailure, Rule, Verb } from './types.js';

/** The longest rule that the API accepts. */
const LONGEST_RULE = 2000;

const VERBS: ReadonlySet<string> = new Set<Verb>(['allow', 'ask', 'deny']);

/**
 * Parses `allow|ask|deny TOOL` or `… TOOL(PATTERN)` on one line. Anything else fails with its position: a partly parsed rule could allow calls,
 * or fail to deny them, contrary to its author's intent.
 */
export function parseRule(text: string): { ok: true; rule: Rule } | ParseFailure {
  if (text.length > LONGEST_RULE) return failure(`a rule can have at most ${LONGEST_RULE} characters`, LONGEST_RULE);
  const hidden = findHidden(text);
  if (hidden >= 0)
    return /[\r\n]/.test(text.charAt(hidden)) ? failure('a rule must be on one line', hidden) : hiddenFailure(hidden);

  const verbAt = skipBlanks(text, 0);
  const verbEnd = skipUntil(text, verbAt, ' \t(');
  const verb = text.slice(verbAt, verbEnd);
  if (!isVerb(verb)) return failure('a rule must start with allow, ask or deny', verbAt);

  const toolAt = skipBlanks(text, verbEnd);
  const toolEnd = skipUntil(text, toolAt, ' \t(');
  const tool = text.slice(toolAt, toolEnd);
  if (tool === '') return failure('expected a tool name', toolAt);
  // Tool names are ASCII. A deny rule with a look-alike letter would never match.
  const odd = tool.search(/[^A-Za-z0-9_*-]/);
  if (odd >= 0) return failure('a tool name can contain only A-Z a-z 0-9 _ - and *', toolAt + odd);

  if (text.charAt(toolEnd) !== '(') {
    const rest = skipBlanks(text, toolEnd);
    if (rest === text.length) return { ok: true, rule: { verb, tool } };
    return { ...failure(text.charAt(rest) === '#' ? OWN_LINE : AFTER_TOOL, rest), head: { verb, tool } };
  }

  const scanned = readPattern(text, toolEnd + 1, 'parenthesis');
  if (!scanned.ok) return { ...scanned, head: { verb, tool } };
  const { ok: _, end, ...pattern } = scanned;
  const rest = skipBlanks(text, end + 1);
  if (rest !== text.length) {
    const error = text.charAt(rest) === '#' ? OWN_LINE : 'nothing may follow the closing parenthesis';
    return { ...failure(error, rest), head: { verb, tool } };
  }
  // `deny tool()` looks like `deny tool`, but would match only calls without arguments.
  if (pattern.words?.length === 0 && verb !== 'allow') {
    const error = `empty parentheses mean "no arguments"; write ${verb} ${tool} for any arguments`;
    return { ...failure(error, toolEnd), head: { verb, tool } };
  }
  return { ok: true, rule: { verb, tool, ...pattern } };
}

const AFTER_TOOL = 'expected the end of the rule, or a pattern in parentheses directly after the tool name';
const OWN_LINE = 'a comment needs a line of its own';

function isVerb(text: string): text is Verb {
  return VERBS.has(text);
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text.charAt(at) === ' ' || text.charAt(at) === '\t') at += 1;
  return at;
}

function skipUntil(text: string, from: number, stops: string): number {
  let at = from;
  while (at < text.length && !stops.includes(text.charAt(at))) at += 1;
  return at;
}

function failure(error: string, position: number): ParseFailure {
  return { ok: false, error, position };
}
