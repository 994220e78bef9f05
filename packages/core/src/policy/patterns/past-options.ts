import { type Glob, matchesGlob, wordGlob } from './glob.js';
import { MANY } from './match-sequence.js';
import type { PatternWord } from '../types.js';

/**
 * Lets a deny or ask rule match other spellings of a command: options in any position or order, combined or separate, and unnamed options.
 * `git push *` matches `git --no-pager push`, and `rm -rf *` matches `rm -r -f x` and `rm x -fr`.
 */
export interface PastOptions {
  /** The words that are not options, in order. */
  readonly plain: readonly (Glob | typeof MANY)[];
  /** Required short options, each alone or combined. */
  readonly letters: readonly string[];
  /** Other required options. */
  readonly options: readonly Glob[];
}

/** Combined short options. Longer ones, such as `-delete`, are single options. */
const TOGETHER = /^-[A-Za-z]{1,3}$/;

export function readPastOptions(words: readonly PatternWord[]): PastOptions {
  const plain: (Glob | typeof MANY)[] = [];
  const letters: string[] = [];
  const options: Glob[] = [];
  for (const [index, word] of words.entries()) {
    const [first, second] = word;
    const text = first !== undefined && 'text' in first ? first.text : '';
    if (index > 0 && second === undefined && TOGETHER.test(text)) letters.push(...Array.from(text.slice(1)));
    else if (index > 0 && isOption(text)) options.push(wordGlob(word));
    else plain.push(word.length > 0 && word.every((piece) => 'stars' in piece) ? MANY : wordGlob(word));
  }
  return { plain, letters, options };
}

/** The options of a command, parsed once for all rules. */
export interface GivenOptions {
  /** The index of `--`, or -1. */
  readonly end: number;
  readonly given: readonly string[];
  readonly short: ReadonlySet<string>;
}

export function readGivenOptions(words: readonly string[]): GivenOptions {
  const end = words.indexOf('--');
  const given = words.filter((word, at) => isOptionAt(word, at, end));
  const short = given.filter((word) => /^-[A-Za-z]{1,8}$/.test(word)).flatMap((word) => Array.from(word.slice(1)));
  return { end, given, short: new Set(short) };
}

export function matchesPastOptions(
  { plain, letters, options }: PastOptions,
  words: readonly string[],
  distinct: ReadonlySet<string>,
  { end, given, short }: GivenOptions,
): boolean {
  if (given.length === 0 && end < 0) return false;
  // Fast path: most rules fail here, and the model chooses how many words there are.
  if (!plain.every((element) => element === MANY || element.length > 1 || distinct.has(element[0] ?? ''))) return false;
  if (!letters.every((letter) => short.has(letter))) return false;
  if (!options.every((option) => given.some((word) => matchesGlob(option, word)))) return false;

  const named = letters.length + options.length > 0;
  // Possible positions in the pattern, and whether the previous word was an option, whose value this word may be.
  let places = closed(plain, new Map([[0, false]]));
  for (const [at, word] of words.entries()) {
    if (at === end) continue;
    const next = new Map<number, boolean>();
    const go = (place: number, behindOption: boolean): void => {
      next.set(place, behindOption || next.get(place) === true);
    };
    for (const [place, behindOption] of places) {
      const element = plain[place];
      if (element === MANY) go(place, false);
      else if (element !== undefined && matchesGlob(element, word)) go(place + 1, false);
      // A rule without a star at the end allows no further words, except options that it names.
      if (isOptionAt(word, at, end) && (element !== undefined || named)) go(place, !word.includes('='));
      else if (behindOption && element !== undefined && !isOptionAt(word, at, end)) go(place, false);
    }
    places = closed(plain, next);
    if (places.size === 0) return false;
  }
  return places.has(plain.length);
}

/** Adds the positions that are reachable without consuming a word. */
function closed(plain: PastOptions['plain'], places: Map<number, boolean>): Map<number, boolean> {
  for (const [place, behindOption] of places) {
    if (plain[place] === MANY && !places.has(place + 1)) places.set(place + 1, behindOption);
  }
  return places;
}

function isOptionAt(word: string, at: number, end: number): boolean {
  return at > 0 && (end < 0 || at < end) && isOption(word);
}

export function isOption(word: string): boolean {
  return word.length > 1 && word.startsWith('-') && word !== '--';
}
