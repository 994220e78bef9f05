import { RUN_TOOL } from '@countersign/protocol';
import { pathPattern } from '../patterns/path-pattern.js';
import { failure, readPiece } from '../patterns/scan-piece.js';
import type { EffectClause, ParseFailure, PatternWord, Piece, Rule } from '../types.js';

const CLAUSES = ['writing', 'changing', 'removing', 'moving'] as const;
type ClauseName = (typeof CLAUSES)[number];

/** A path with one of these names must be quoted or start with `./`. */
const KEYWORD = /^(?:writing|changing|removing|moving|by|with|until|for|today)$/;

/** Whether the rest of a rule is about effects. */
export function startsEffectClause(text: string, at: number): boolean {
  return isClause(wordAt(text, at));
}

/**
 * Parses `writing PATH…`, `changing PATH…`, `removing PATH…` and, for runs, `moving REF…`, each at most once and in any order, up to who must sign, when the rule ends, or the end. In an allow
 * rule, `nothing` stands for no path.
 */
export function readEffectClause(
  text: string,
  from: number,
  { verb, tool }: Pick<Rule, 'verb' | 'tool'>,
): { ok: true; effect: EffectClause; end: number } | ParseFailure {
  if (tool.includes('*')) return failure('a rule about effects must name one tool, as in shell_cmd', from);
  const found = new Map<ClauseName, readonly PatternWord[]>();
  let at = from;
  for (let name = wordAt(text, at); isClause(name); name = wordAt(text, at)) {
    if (found.has(name)) return failure(`"${name}" can appear only once`, at);
    if (name === 'moving' && tool !== RUN_TOOL) return failure('only a rule about runs can name branches and tags', at);
    const paths = readPaths(text, skipBlanks(text, at + name.length), verb, name);
    if (!paths.ok) return paths;
    found.set(name, paths.words);
    at = paths.end;
  }
  const [writing = [], changing = [], removing = [], moving = []] = CLAUSES.map((name) => found.get(name));
  return { ok: true, effect: { writing, changing, removing, moving }, end: at };
}

function readPaths(
  text: string,
  from: number,
  verb: Rule['verb'],
  name: ClauseName,
): { ok: true; words: readonly PatternWord[]; end: number } | ParseFailure {
  const [thing, example] = name === 'moving' ? ['a branch or tag', 'refs/heads/feature/*'] : ['a path', 'src/**'];
  const words: PatternWord[] = [];
  let nothing: number | undefined;
  let at = from;
  for (let raw = wordAt(text, at); raw !== '' && !KEYWORD.test(raw); raw = wordAt(text, at)) {
    if (raw.startsWith('#')) return failure('a comment needs a line of its own', at);
    if (KEYWORD.test(raw.toLowerCase())) return failure(`write "${raw.toLowerCase()}", or quote the path`, at);
    if (raw === 'nothing') {
      if (verb !== 'allow') return failure('only an allow rule can say "nothing"', at);
      nothing = at;
      at = skipBlanks(text, at + raw.length);
      continue;
    }
    const read = readWord(text, at);
    if (!read.ok) return read;
    const pattern = name === 'moving' ? refPattern(read.word, verb) : effectPattern(read.word, verb);
    if (pattern === undefined) return failure(`expected ${thing}, as in ${example}`, at);
    words.push(read.word);
    at = skipBlanks(text, read.end);
  }
  if (nothing !== undefined && words.length > 0) return failure('"nothing" must stand alone', nothing);
  if (nothing === undefined && words.length === 0)
    return failure(`expected ${thing} after "${name}", as in ${example}`, at);
  return { ok: true, words, end: at };
}

/**
 * The pattern of one path. In an allow rule, a path without `./`, `~/` or `/` starts at the working folder. In a deny or ask rule, it matches at
 * any depth, as in other rules.
 */
export function effectPattern(word: PatternWord, verb: Rule['verb']): ReturnType<typeof pathPattern> {
  if (verb !== 'allow') return pathPattern(word, 'liberal');
  const [first, ...rest] = word;
  if (first === undefined) return undefined;
  const start = 'text' in first ? first.text : '';
  if (/^(?:\/|~\/|\.{1,2}\/)/.test(start)) return pathPattern(word, 'strict');
  return pathPattern('text' in first ? [{ text: `./${start}` }, ...rest] : [{ text: './' }, ...word], 'strict');
}

/** The whole name of a branch or tag. It is compared like an absolute path. */
export function refPattern(word: PatternWord, verb: Rule['verb']): ReturnType<typeof pathPattern> {
  const [first, ...rest] = word;
  if (first === undefined || !('text' in first) || !/^refs\/(?:heads|tags)\//.test(first.text)) return undefined;
  return pathPattern([{ text: `/${first.text}` }, ...rest], verb === 'allow' ? 'strict' : 'liberal');
}

function readWord(text: string, from: number): { ok: true; word: PatternWord; end: number } | ParseFailure {
  const word: Piece[] = [];
  let at = from;
  while (at < text.length && !isBlank(text.charAt(at))) {
    if ('()'.includes(text.charAt(at))) return failure('a parenthesis in a path must be quoted', at);
    const next = readPiece(text, at, word);
    if (typeof next !== 'number') return next;
    at = next;
  }
  return { ok: true, word, end: at };
}

function isClause(word: string): word is ClauseName {
  return CLAUSES.some((name) => name === word);
}

/** The text up to the next blank, without reading quotes. */
function wordAt(text: string, at: number): string {
  return /^[^ \t]*/.exec(text.slice(at))?.[0] ?? '';
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (isBlank(text.charAt(at))) at += 1;
  return at;
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t';
}
