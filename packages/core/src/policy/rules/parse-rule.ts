import { readEffectClause, startsEffectClause } from '../effects/effect-clause.js';
import { findHidden } from '../patterns/hidden-characters.js';
import { readPattern } from './read-pattern.js';
import { readSigningClause, startsSigningClause } from './signing-clause.js';
import { readUntilClause, startsUntilClause } from './until-clause.js';
import { hiddenFailure } from '../patterns/scan-pattern.js';
import type { ParseFailure, Rule, Verb } from '../types.js';

/** The longest rule that the API accepts. */
const LONGEST_RULE = 2000;

const VERBS: ReadonlySet<string> = new Set<Verb>(['allow', 'ask', 'deny']);

/**
 * Parses `allow|ask|deny TOOL` or `… TOOL(PATTERN)` on one line. It can be about effects (`writing …`). An ask rule can end with who must sign
 * (`by …`), an allow rule with its last moment (`until …`). Anything else fails with its position: a partly parsed rule could allow calls, or fail to deny them, contrary to its author's intent.
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
    return readEnd(text, rest, { verb, tool }, AFTER_TOOL);
  }

  const scanned = readPattern(text, toolEnd + 1, 'parenthesis');
  if (!scanned.ok) return { ...scanned, head: { verb, tool } };
  const { ok: _, end, ...pattern } = scanned;
  // `deny tool()` looks like `deny tool`, but would match only calls without arguments.
  if (pattern.words?.length === 0 && verb !== 'allow') {
    const error = `empty parentheses mean "no arguments"; write ${verb} ${tool} for any arguments`;
    return { ...failure(error, toolEnd), head: { verb, tool } };
  }
  const afterPattern =
    verb === 'ask'
      ? 'nothing may follow the closing parenthesis except "by …", as in "by @release", or an effect, as in "removing src/**"'
      : 'nothing may follow the closing parenthesis except an effect, as in "writing src/**", or its end, as in "until 2027-01-31"';
  return readEnd(text, skipBlanks(text, end + 1), { verb, tool, ...pattern }, afterPattern);
}

/** Reads what follows the tool or its pattern: nothing, effects, who must sign, or when the rule ends. */
function readEnd(text: string, at: number, rule: Rule, otherwise: string): { ok: true; rule: Rule } | ParseFailure {
  if (at === text.length) return { ok: true, rule };
  const head = { verb: rule.verb, tool: rule.tool };
  if (rule.effect === undefined && startsEffectClause(text, at)) {
    const read = readEffectClause(text, at, head);
    if (!read.ok) return { ...read, head };
    return readEnd(text, read.end, { ...rule, effect: read.effect }, otherwise);
  }
  if (startsUntilClause(text, at)) {
    const read = readUntilClause(text, at, head);
    return read.ok ? { ok: true, rule: { ...rule, ends: read.ends } } : { ...read, head };
  }
  if (!startsSigningClause(text, at)) {
    return { ...failure(text.charAt(at) === '#' ? OWN_LINE : otherwise, at), head };
  }
  if (rule.verb !== 'ask') return { ...failure('only an ask rule can say who must sign', at), head };
  const read = readSigningClause(text, at);
  return read.ok ? { ok: true, rule: { ...rule, by: read.by } } : { ...read, head };
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
