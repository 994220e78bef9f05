import { type Glob, matchesGlob, wordGlob } from './glob.js';
import { MANY, matchesSequence } from './match-sequence.js';
import { type Bases, foldName } from './path-text.js';
import type { PatternWord, Piece } from '../types.js';

type Anchor = 'root' | 'home' | 'workingDirectory';

export interface PathPattern {
  readonly anchor: Anchor;
  /** How many folders above the anchor the pattern starts (`../x`). */
  readonly up: number;
  readonly segments: readonly (Glob | typeof MANY)[];
}

/**
 * Parses a word as a path pattern: `*` stays within a segment, `**` matches any depth, `./` is the working folder, `~/` is home. `strict`
 * (allow rules) needs an anchor. `liberal` (deny and ask rules) doesn't, folds names, and also matches the contents of a literal name.
 */
export function pathPattern(word: PatternWord, reading: 'strict' | 'liberal'): PathPattern | undefined {
  const [head, ...tail] = splitSegments(word);
  if (head === undefined || word.length === 0) return undefined;
  const start = literalOf(head);
  const anchor = anchorOf(start, tail.length > 0);
  const floating = anchor === undefined && !isDeep(head);
  if (floating && reading === 'strict') return undefined;

  const fold = reading === 'liberal' ? foldName : undefined;
  const segments: (Glob | typeof MANY)[] = floating ? [MANY] : [];
  let up = start === '..' ? 1 : 0;
  for (const segment of anchor === undefined ? [head, ...tail] : tail) {
    const text = literalOf(segment);
    if (isDeep(segment)) segments.push(MANY);
    else if (text === '..') {
      // `..` after "any depth" is ambiguous, and an allow rule must not guess.
      if (segments.at(-1) === MANY) {
        if (reading === 'strict') return undefined;
      } else if (segments.pop() === undefined) up += 1;
    } else if (text !== '' && text !== '.') segments.push(wordGlob(segment, fold));
  }
  // A deny rule for `~/.ssh` must match the keys in it, not only the folder itself.
  const literal = literalOf(tail.at(-1) ?? head) !== undefined && segments.length + tail.length > 0;
  if (reading === 'liberal' && literal && segments.at(-1) !== MANY) segments.push(MANY);
  return { anchor: anchor ?? 'root', up, segments };
}

/** Whether a word has a path anchor, so that it can only be a path. */
export function isAnchored(word: PatternWord): boolean {
  const [head, ...tail] = splitSegments(word);
  if (head === undefined) return false;
  return tail.length > 0 && (isDeep(head) || anchorOf(literalOf(head), true) !== undefined);
}

export function matchesPath(
  pattern: PathPattern,
  path: readonly string[],
  bases: Bases,
  reading: 'strict' | 'liberal',
): boolean {
  const base = baseOf(pattern.anchor, reading === 'liberal' ? bases.folded : bases);
  if (base === undefined) {
    // Home is unknown: a deny rule about it then matches in any folder, and an allow rule matches nothing.
    return reading === 'liberal' && matchesSequence([MANY, ...pattern.segments], path, matchesGlob);
  }
  const depth = Math.max(0, base.length - pattern.up);
  if (path.length < depth) return false;
  for (let index = 0; index < depth; index += 1) if (base[index] !== path[index]) return false;
  return matchesSequence(pattern.segments, depth === 0 ? path : path.slice(depth), matchesGlob);
}

/** Whether paths below a folder may match, for deny and ask rules. `fixed`: only through literal segments, so it is enough to check those. */
export function leadsTo(
  pattern: PathPattern,
  folder: readonly string[],
  bases: Bases,
): 'nowhere' | 'fixed' | 'anywhere' {
  const base = baseOf(pattern.anchor, bases.folded);
  if (base === undefined) return 'anywhere';
  const depth = Math.max(0, base.length - pattern.up);
  for (const [index, name] of folder.entries()) {
    if (index < depth) {
      if (base[index] !== name) return 'nowhere';
      continue;
    }
    const segment = pattern.segments[index - depth];
    if (segment === MANY) return 'anywhere';
    if (segment === undefined || !matchesGlob(segment, name)) return 'nowhere';
  }
  if (folder.length < depth) return 'fixed';
  const next = pattern.segments[folder.length - depth];
  if (next === undefined) return 'nowhere';
  return next === MANY ? 'anywhere' : 'fixed';
}

/** Whether the pattern has no known anchor and may therefore match in any folder. */
export function isFloating({ anchor, segments }: PathPattern, bases: Bases): boolean {
  return baseOf(anchor, bases.folded) === undefined || (anchor === 'root' && segments[0] === MANY);
}

function baseOf(anchor: Anchor, bases: Bases | Bases['folded']): readonly string[] | undefined {
  switch (anchor) {
    case 'root':
      return [];
    case 'home':
      return bases.home;
    case 'workingDirectory':
      return bases.workingDirectory;
  }
}

function anchorOf(start: string | undefined, more: boolean): Anchor | undefined {
  if (start === '') return more ? 'root' : undefined;
  if (start === '~') return 'home';
  return start === '.' || start === '..' ? 'workingDirectory' : undefined;
}

function splitSegments(word: PatternWord): PatternWord[] {
  const segments: Piece[][] = [[]];
  for (const piece of word) {
    if ('stars' in piece) segments.at(-1)?.push(piece);
    else {
      for (const [index, text] of piece.text.split('/').entries()) {
        if (index > 0) segments.push([]);
        if (text !== '') segments.at(-1)?.push({ text });
      }
    }
  }
  return segments;
}

function literalOf(segment: PatternWord): string | undefined {
  if (segment.length === 0) return '';
  const [only] = segment;
  return segment.length === 1 && only && 'text' in only ? only.text : undefined;
}

function isDeep(segment: PatternWord): boolean {
  const [only] = segment;
  return segment.length === 1 && only !== undefined && 'stars' in only && only.stars === 2;
}
