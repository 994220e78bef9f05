import { type Glob, matchesGlob, wordGlob } from './patterns/glob.js';
import { looseHostGlob } from './patterns/host-pattern.js';
import { MANY, matchesSequence } from './patterns/match-sequence.js';
import { type Matcher, segmentKey, wordKey } from './matcher.js';
import { isOption, matchesPastOptions, readPastOptions } from './patterns/past-options.js';
import { isAnchored, matchesPath, type PathPattern, pathPattern } from './patterns/path-pattern.js';
import type { PatternWord } from './types.js';

interface Reading {
  readonly text: Glob;
  readonly host: Glob;
  readonly path: PathPattern | undefined;
}

/**
 * Interprets the arguments of a deny or ask rule as broadly as possible: `*` also matches options and any number of words, and unnamed options
 * are skipped. A path pattern such as `~/.ssh/**` also matches words that look like that path, for tools that don't report subjects.
 */
export function guardMatcher(words: readonly PatternWord[] | undefined): Matcher {
  const elements = (words ?? [[{ stars: 1 } as const]]).map((word) => (isStarsOnly(word) ? MANY : readWord(word)));
  if (elements.every((element) => element === MANY)) return { any: true, matches: () => true };

  const pastOptions = readPastOptions(words ?? []);
  const [only, second] = words ?? [];
  const place =
    only !== undefined && second === undefined && isAnchored(only) ? pathPattern(only, 'liberal') : undefined;
  // Options can be written in several ways, so they can't be the key.
  const literal = (words ?? []).filter((word, at) => at === 0 || !isOption(firstText(word)));
  const key = place === undefined ? wordKey(literal) : segmentKey(place);

  return {
    any: false,
    ...(key === undefined ? {} : { key }),
    matches: (subject, bases) => {
      switch (subject.kind) {
        case 'dynamic':
          return false;
        case 'words':
          return (
            matchesSequence(elements, subject.words, (element, word) => matchesGlob(element.text, word)) ||
            matchesPastOptions(pastOptions, subject.words, subject.distinct(), subject.options()) ||
            (place !== undefined && subject.guessedPaths().some((path) => matchesPath(place, path, bases, 'liberal')))
          );
        case 'host':
          return subject.loose.some((name) =>
            matchesSequence(elements, [name], (element, host) => matchesGlob(element.host, host)),
          );
        case 'path':
          return matchesSequence(
            elements,
            [''],
            ({ path }) => path !== undefined && matchesPath(path, subject.guessed, bases, 'liberal'),
          );
      }
    },
  };
}

function readWord(word: PatternWord): Reading {
  return { text: wordGlob(word), host: looseHostGlob(word), path: pathPattern(word, 'liberal') };
}

function isStarsOnly(word: PatternWord): boolean {
  return word.length > 0 && word.every((piece) => 'stars' in piece);
}

function firstText([first]: PatternWord): string {
  return first !== undefined && 'text' in first ? first.text : '';
}
