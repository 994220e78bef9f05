import { type Glob, matchesGlob, wordGlob } from '../patterns/glob.js';
import { looseHostGlob } from '../patterns/host-pattern.js';
import { isAnchored, matchesPath, type PathPattern, pathPattern } from '../patterns/path-pattern.js';
import type { MatchableCall } from '../matchable-call.js';
import type { Comparison, Condition, Named, PatternWord } from '../types.js';
import type { Miss, NamedKey, NamedMatcher } from './miss.js';
import { keyOf } from './named-index.js';
import { foldText, type Leaf, looksLikePath } from './prepare-arguments.js';
import { literalNumber } from './scan-named.js';

/**
 * Interprets the conditions of a deny or ask rule as broadly as possible (RULE1), regardless of the other arguments. A value that can't be
 * compared with a number matches.
 */
export function guardConditions({ conditions, open, separator }: Named): NamedMatcher {
  const tests = conditions.map((condition, index) => {
    // `command=rm *` also matches `rm -rf x`: here the star means more words, not more arguments.
    const hasMoreWords = open && separator === 'blank' && index === conditions.length - 1;
    return {
      condition,
      holds: condition.kind === 'equal' ? equals(condition.value, hasMoreWords) : compares(condition),
    };
  });
  const key = findKey(conditions, open && separator === 'blank');
  return {
    ...(key === undefined ? {} : { key }),
    misses(call) {
      for (const { condition, holds } of tests) {
        const miss = missOf(condition, holds, call);
        if (miss !== undefined) return miss;
      }
      return undefined;
    },
    covers: () => false,
  };
}

/** Numbers, anchored paths, URLs and values followed by more words also match other spellings, so they can't be the key. */
function findKey(conditions: readonly Condition[], lastHasMoreWords: boolean): NamedKey | undefined {
  for (const condition of lastHasMoreWords ? conditions.slice(0, -1) : conditions) {
    if (condition.kind !== 'equal') continue;
    const { name, value } = condition;
    if (literalNumber(value) !== undefined || isAnchored(value) || hasOriginIn(value)) continue;
    const key = keyOf(name, value);
    if (key !== undefined) return key;
  }
  return undefined;
}

function hasOriginIn(value: PatternWord): boolean {
  return value.some((piece) => 'text' in piece && piece.text.includes('://'));
}

interface Test {
  readonly leaf: (leaf: Leaf, call: MatchableCall) => boolean;
  readonly subject: (subject: MatchableCall['subjects'][number], call: MatchableCall) => boolean;
}

function missOf({ name }: Condition, test: Test, call: MatchableCall): Miss | undefined {
  // Includes the subjects of an omitted argument, because it may have a default.
  const reported = call.reportedFor(name);
  if (reported.some((subject) => test.subject(subject, call))) return undefined;
  const leaves = call.arguments?.all(name) ?? [];
  if (leaves.some((leaf) => test.leaf(leaf, call))) return undefined;
  return { code: leaves.length === 0 && reported.length === 0 ? 'missing' : 'different', argument: name };
}

function equals(value: PatternWord, hasMoreWords: boolean): Test {
  const words: readonly PatternWord[] = hasMoreWords ? [value, followed(value)] : [value];
  const globs = words.map((word) => ({ plain: wordGlob(word), folded: wordGlob(word, foldText) }));
  const number = literalNumber(value);
  const path = pathPattern(value, 'liberal');
  const anchored = isAnchored(value);
  const host = looseHostGlob(value);
  const hasOrigin = hasOriginIn(value);
  return {
    leaf: (leaf, { bases }) =>
      globs.some(({ plain, folded }) => matchesGlob(folded, leaf.folded) || matchesGlob(plain, leaf.text)) ||
      (number !== undefined && (leaf.number === number || leaf.ungrouped() === number)) ||
      (path !== undefined &&
        (anchored || looksLikePath(leaf.text)) &&
        leaf.paths().some((one) => matchesPath(path, one, bases, 'liberal'))) ||
      (hasOrigin && matchesUrl(globs, leaf)),
    subject: (subject, { bases }) => {
      if (subject.kind === 'host') return subject.loose.some((name) => matchesGlob(host, name));
      return subject.kind === 'path' && matchesPathSubject(path, subject.guessed, bases);
    },
  };
}

function followed(value: PatternWord): PatternWord {
  const last = value.at(-1);
  if (last === undefined || !('text' in last)) return [...value, { text: ' ' }, { stars: 1 }];
  return [...value.slice(0, -1), { text: `${last.text} ` }, { stars: 1 }];
}

function matchesPathSubject(
  path: PathPattern | undefined,
  guessed: readonly string[],
  bases: MatchableCall['bases'],
): boolean {
  return path !== undefined && matchesPath(path, guessed, bases, 'liberal');
}

function matchesUrl(globs: readonly { readonly folded: Glob }[], leaf: Leaf): boolean {
  return leaf.urls().some((url) => globs.some(({ folded }) => matchesGlob(folded, foldText(url))));
}

function compares({ operator, number }: Extract<Condition, { kind: 'compare' }>): Test {
  return {
    // NaN marks a list or object; its values are compared instead.
    leaf: (leaf) => leaf.number === undefined || isBeyond(leaf.number, operator, number),
    subject: () => false,
  };
}

export function isBeyond(value: number, operator: Comparison, limit: number): boolean {
  switch (operator) {
    case '<':
      return value < limit;
    case '<=':
      return value <= limit;
    case '>':
      return value > limit;
    case '>=':
      return value >= limit;
  }
}
